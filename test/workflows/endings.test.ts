import { check, takeAway } from '../support/access';
import { cards, subscribe } from '../support/factories';
import { chargesOf, eventsOf, mailsTo } from '../support/ledger';
import { changeCardOutcome, startScenarios, type SubscriptionScenario, type Scenarios } from '../support/scenarios';
import { until } from '../support/until';

/** Cancellations and ends of subscriptions. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

const signal = (scenario: SubscriptionScenario, name: string, ...input: object[]) =>
  scenarios.temporal.client.workflow.getHandle(`subscription-${scenario.id}`).signal(name, ...input);

const reaches = (scenario: SubscriptionScenario, status: string) =>
  until(async () => {
    const row = await scenario.row();
    return row.status === status && row;
  });

const result = (scenario: SubscriptionScenario) =>
  scenarios.temporal.client.workflow.getHandle(`subscription-${scenario.id}`).result() as Promise<unknown>;

const reasons = async (scenario: SubscriptionScenario) => {
  const text = `SELECT e.reason FROM subscription_events e JOIN subscriptions s ON s.id = e.subscription_id
    WHERE s.token = $1 ORDER BY e.sequence`;
  return (await scenarios.app.pool.query<{ reason: string }>(text, [scenario.id])).rows.map(({ reason }) => reason);
};

describe('canceled at the period’s end', () => {
  test('subscribe.cancelled.success: the paid time runs out, then it has ended', async () => {
    const scenario = await scenarios.subscribe();
    const { body } = await scenario.cancel({ reason: 'too dear' });
    expect(body).toMatchObject({ subscription: scenario.id, operation: 'unsubscribe', status: 'pending' });
    expect(await scenario.row()).toMatchObject({
      status: 'active',
      action_type: 'canceled',
      cancel_at_period_end: true,
    });
    expect(await scenario.hasAccess()).toBe(true);
    expect(await scenario.advanceDays(32)).toMatchObject({ status: 'canceled', action_type: 'ended' });
    expect(await scenario.hasAccess()).toBe(false);
    expect(await result(scenario)).toEqual({ state: 'canceled' });
    expect(await eventsOf(scenarios.app, scenario.id)).toEqual([
      'access.granted',
      'subscribe.success',
      'subscribe.cancelled.success',
      'access.revoked',
      'subscribe.expired',
    ]);
    const mails = ['receipt', 'subscription_canceled', 'subscription_ended'];
    expect(await mailsTo(scenarios.app, scenario.shop.consumer.id)).toEqual(mails);
    expect(await chargesOf(scenarios.app, scenario.id)).toHaveLength(1);
  });

  test('subscribe.updated: taken back in time, it is renewed', async () => {
    const scenario = await scenarios.subscribe();
    await scenario.cancel();
    expect((await scenario.request('resume')).status).toBe(200);
    expect(await scenario.row()).toMatchObject({
      action_type: 'recurrent',
      cancel_at_period_end: false,
      canceled_at: 0,
    });
    expect(await scenario.advanceDays(32)).toMatchObject({ status: 'active' });
    expect(await chargesOf(scenarios.app, scenario.id)).toHaveLength(2);
  });
});

test('subscribe.cancelled.success: canceled now, access ends now', async () => {
  const scenario = await scenarios.subscribe();
  await scenario.cancel({ at: 'now' });
  expect(await scenario.row()).toMatchObject({ status: 'canceled' });
  expect(await scenario.hasAccess()).toBe(false);
  expect((await scenario.request('resume')).body).toMatchObject({ code: 409, error: 'subscription_state' });
});

describe('the money goes back', () => {
  test('access.revoked: at once, and nothing is charged after it', async () => {
    const scenario = await scenarios.subscribe();
    await signal(scenario, 'revoked', {});
    expect(await reaches(scenario, 'revoked')).toMatchObject({ action_type: 'ended' });
    expect(await scenario.hasAccess()).toBe(false);
    await scenario.advanceDays(40);
    expect(await result(scenario)).toEqual({ state: 'revoked' });
    expect(await chargesOf(scenarios.app, scenario.id)).toHaveLength(1);
  });

  test('access.granted: and comes again after all, for what is left of the period', async () => {
    const scenario = await scenarios.subscribe();
    await signal(scenario, 'revoked', {});
    await reaches(scenario, 'revoked');
    await signal(scenario, 'restored', {});
    await reaches(scenario, 'active');
    expect(await scenario.hasAccess()).toBe(true);
    expect(await scenario.advanceDays(32)).toMatchObject({ status: 'active' });
  });

  test('access.granted: not beside another subscription of the item: it stays revoked, and ends with its period', async () => {
    const scenario = await scenarios.subscribe();
    await signal(scenario, 'revoked', {});
    await reaches(scenario, 'revoked');
    const { body } = await subscribe(scenarios.app, scenario.shop);
    await reaches(scenarios.of(scenario.shop, body.subscription_id), 'active');
    await signal(scenario, 'restored', {});
    await until(
      async () => (await reasons(scenario)).at(-1) === 'not restored: another subscription of the item is live',
    );
    await scenario.advanceDays(32);
    expect(await result(scenario)).toEqual({ state: 'revoked' });
  });
});

describe('the account is erased', () => {
  test.each([
    ['active', cards.success, 0],
    ['past_due', cards.declinedAtRenewal, 32],
    ['on_hold', cards.declinedAtRenewal, 40],
  ])('subscribe.expired: %s, then canceled now, and no mail', async (state, card, days) => {
    const scenario = await scenarios.subscribe(card);
    expect((await scenario.advanceDays(days || 0.01)).status).toBe(state);
    const before = await mailsTo(scenarios.app, scenario.shop.consumer.id);
    await signal(scenario, 'accountErased');
    await reaches(scenario, 'canceled');
    expect(await result(scenario)).toEqual({ state: 'canceled' });
    expect(await scenario.hasAccess()).toBe(false);
    expect(await mailsTo(scenarios.app, scenario.shop.consumer.id)).toEqual(before);
  });

  test('subscribe.past_due: a renewal that comes before the word of it is not charged, and nobody is mailed', async () => {
    const scenario = await scenarios.subscribe();
    const before = await mailsTo(scenarios.app, scenario.shop.consumer.id);
    await scenarios.app.pool.query('UPDATE accounts SET erasing_at = now() WHERE id = $1', [scenario.shop.consumer.id]);
    await scenario.advancePastEnd(0.5);
    expect((await chargesOf(scenarios.app, scenario.id)).map(({ status }) => status)).toEqual(['paid', 'declined']);
    expect(await mailsTo(scenarios.app, scenario.shop.consumer.id)).toEqual(before);
  });
});

describe('revoked while a payment is open, and given back', () => {
  test('subscribe.updated: it is past due as before, and the next try brings the period', async () => {
    const scenario = await scenarios.subscribe(cards.declinedAtRenewal);
    const failed = await scenario.advancePastEnd(1.5);
    expect(failed).toMatchObject({ status: 'past_due' });
    await signal(scenario, 'revoked');
    expect(await reaches(scenario, 'revoked')).toMatchObject({ grace_ends_at: 0, next_retry_at: 0 });
    expect(await scenario.hasAccess()).toBe(false);
    await signal(scenario, 'restored');
    const { grace_ends_at, next_retry_at } = failed;
    expect(await reaches(scenario, 'past_due')).toMatchObject({ grace_ends_at, next_retry_at, ended_at: 0 });
    expect(await scenario.hasAccess()).toBe(true);
    await changeCardOutcome(scenarios.app, scenario, 'success');
    expect(await scenario.advanceDays(3)).toMatchObject({ status: 'active' });
    expect((await chargesOf(scenarios.app, scenario.id)).at(-1)).toMatchObject({ amount: 999, status: 'paid' });
  });

  test('subscribe.updated: on hold it opens nothing', async () => {
    const scenario = await scenarios.subscribe(cards.declinedAtRenewal);
    expect(await scenario.advanceDays(40)).toMatchObject({ status: 'on_hold' });
    await signal(scenario, 'revoked');
    await reaches(scenario, 'revoked');
    await signal(scenario, 'restored');
    await reaches(scenario, 'on_hold');
    expect(await scenario.hasAccess()).toBe(false);
    expect((await eventsOf(scenarios.app, scenario.id)).at(-1)).toBe('subscribe.updated');
  });
});

test('409 subscription_state: revoked while its charge waits for the provider, it cannot be canceled', async () => {
  const scenario = await scenarios.subscribe(cards.misconfiguredAtRenewal);
  await scenario.advanceDays(32);
  await signal(scenario, 'revoked', {});
  await reaches(scenario, 'revoked');
  const { status, body } = await scenario.cancel();
  expect([status, body]).toMatchObject([409, { error: 'subscription_state' }]);
  await signal(scenario, 'restored');
  expect(await reaches(scenario, 'active')).toMatchObject({ cancel_at_period_end: false });
});

describe('its access taken away by the merchant', () => {
  const takeAll = async (scenario: SubscriptionScenario) => {
    const { rows } = await scenarios.app.pool.query<{ id: number }>('SELECT id FROM accesses WHERE account_id = $1', [
      scenario.shop.consumer.id,
    ]);
    for (const { id } of [...rows, ...rows])
      expect((await takeAway(scenarios.app, scenario.shop, id)).status).toBe(200);
  };

  test('subscribe.expired: it ends at once, and nothing is charged again', async () => {
    const scenario = await scenarios.subscribe();
    await takeAll(scenario);
    expect(await reaches(scenario, 'canceled')).toMatchObject({ action_type: 'ended' });
    expect(await result(scenario)).toEqual({ state: 'canceled' });
    expect((await reasons(scenario)).at(-1)).toBe('access_revoked');
    await scenario.advanceDays(400);
    expect(await chargesOf(scenarios.app, scenario.id)).toHaveLength(1);
    const events = await eventsOf(scenarios.app, scenario.id);
    expect(events.filter((type) => type === 'access.revoked' || type === 'subscribe.expired')).toEqual([
      'access.revoked',
      'subscribe.expired',
    ]);
  });

  test('subscribe.success: the customer may buy it anew', async () => {
    const scenario = await scenarios.subscribe();
    await takeAll(scenario);
    await reaches(scenario, 'canceled');
    const again = await subscribe(scenarios.app, scenario.shop, cards.success);
    expect(again.status).toBe(202);
    await reaches(scenarios.of(scenario.shop, again.body.subscription_id), 'active');
    expect((await check(scenarios.app, scenario.shop.item.id, scenario.shop.consumer)).status).toBe(200);
  });

  test('subscribe.expired: one that could not be paid ends too', async () => {
    const scenario = await scenarios.subscribe(cards.declinedAtRenewal);
    expect((await scenario.advanceDays(32)).status).toBe('past_due');
    await takeAll(scenario);
    await reaches(scenario, 'canceled');
    const before = await chargesOf(scenarios.app, scenario.id);
    await scenario.advanceDays(30);
    expect(await chargesOf(scenarios.app, scenario.id)).toEqual(before);
  });
});
