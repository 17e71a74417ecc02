import { call } from '../support/client';
import { cards } from '../support/factories';
import { chargesOf, eventsOf, mailsTo, takenFor } from '../support/ledger';
import { renewalAnswerPath } from '../support/payer';
import {
  approveSilently,
  changeCardOutcome,
  startScenarios,
  type SubscriptionScenario,
  type Scenarios,
} from '../support/scenarios';
import { until } from '../support/until';

/** Dunning after a declined renewal. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

test('subscribe.past_due: access goes on, and the next try brings the period as it was', async () => {
  const scenario = await scenarios.subscribe(cards.declinedOnceAtRenewal);
  const { current_period_end: firstEnd } = await scenario.row();
  const failed = await scenario.advancePastEnd(0.5);
  expect(failed).toMatchObject({ status: 'past_due', action_type: 'recurrent', failure_reason: 'insufficient_funds' });
  expect(failed.grace_ends_at).toBe(firstEnd + 7 * 86_400);
  expect(failed.next_retry_at).toBe(firstEnd + 86_400);
  expect(await scenario.hasAccess()).toBe(true);
  const recovered = await scenario.advanceDays(2);
  expect(recovered).toMatchObject({ status: 'active', current_period_start: firstEnd });
  expect(recovered.current_period_end).toBe(failed.current_period_end);
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(2);
  expect(await eventsOf(scenarios.app, scenario.id)).toEqual([
    'access.granted',
    'subscribe.success',
    'subscription.rebill.failed',
    'subscribe.past_due',
    'subscribe.renewed',
  ]);
  const mails = ['receipt', 'payment_failed', 'payment_recovered'];
  expect(await mailsTo(scenarios.app, scenario.shop.consumer.id)).toEqual(mails);
});

test('subscription.rebill.failed: each try, as older back ends read it', async () => {
  const scenario = await scenarios.subscribe(cards.declinedAtRenewal);
  await scenario.advanceDays(32.5);
  const text = `SELECT resource FROM events WHERE type = 'subscription.rebill.failed' AND dedupe_key LIKE $1 ORDER BY sequence`;
  const { rows } = await scenarios.app.pool.query<{ resource: { timestamp: number } }>(text, [`${scenario.id}:%`]);
  const resource = {
    code: 402,
    attempted_charge_amount: '9.99',
    full_amount: '9.99',
    currency_iso: 'EUR',
    item_id: scenario.shop.item.id,
    merchant_id: scenario.shop.merchant.id,
    subscription_token: scenario.id,
    payment_method: 'card',
    message: 'Subscription rebill failed',
    timestamp: expect.any(Number) as number,
  };
  expect(rows.slice(0, 2).map((row) => row.resource)).toEqual([resource, resource]);
  const [first, second] = rows.map((row) => row.resource.timestamp);
  expect((second ?? 0) - (first ?? 0)).toBe(86_400_000);
});

test('subscribe.expired: on hold after the days of grace, expired after the last try', async () => {
  const scenario = await scenarios.subscribe(cards.declinedAtRenewal);
  const { current_period_end: firstEnd } = await scenario.row();
  expect(await scenario.advanceDays(39)).toMatchObject({ status: 'on_hold' });
  expect(await scenario.hasAccess()).toBe(false);
  expect(await scenario.advanceDays(20)).toMatchObject({ status: 'expired', action_type: 'ended' });
  const tries = (await chargesOf(scenarios.app, scenario.id)).filter(({ cycle }) => cycle === 2);
  expect(tries.map(({ created }) => Math.round((created.getTime() / 1000 - firstEnd) / 86_400))).toEqual([
    0, 1, 3, 7, 14, 21,
  ]);
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(1);
  expect(await mailsTo(scenarios.app, scenario.shop.consumer.id)).toEqual([
    'receipt',
    'payment_failed',
    'payment_reminder',
    'access_ends',
    'subscription_on_hold',
    'subscription_ended',
  ]);
});

test('subscribe.renewed: put off by the provider, it is tried again in an hour', async () => {
  const scenario = await scenarios.subscribe(cards.busyAtRenewal);
  expect(await scenario.advancePastEnd(0.5)).toMatchObject({ status: 'active' });
  const [, first, second] = await chargesOf(scenarios.app, scenario.id);
  expect((second?.created.getTime() ?? 0) - (first?.created.getTime() ?? 0)).toBe(3_600_000);
});

describe('a card that was lost', () => {
  test('subscribe.past_due: nothing is tried until a new card comes', async () => {
    const scenario = await scenarios.subscribe(cards.lostAtRenewal);
    expect(await scenario.advancePastEnd(5)).toMatchObject({ status: 'past_due', next_retry_at: 0 });
    expect((await chargesOf(scenarios.app, scenario.id)).filter(({ cycle }) => cycle === 2)).toHaveLength(1);
    expect(await mailsTo(scenarios.app, scenario.shop.consumer.id)).toContain('card_needed');
    expect(await scenario.request('retry')).toMatchObject({ status: 402, body: { error: 'payment_failed' } });
  });

  test('subscribe.renewed: on hold, the new card begins a new period', async () => {
    const scenario = await scenarios.subscribe(cards.lostAtRenewal);
    expect(await scenario.advanceDays(45)).toMatchObject({ status: 'on_hold' });
    const card = {
      number: cards.success,
      card_name: 'Ana',
      exp_month: 1,
      exp_year: 2041,
      cvv: 123,
      currency_iso: 'EUR',
    };
    expect((await scenario.send('PUT', '/v2/payments/cards/default', card)).status).toBe(200);
    const row = await scenario.advanceDays(0.01);
    expect(row).toMatchObject({ status: 'active' });
    expect(row.current_period_end).toBeGreaterThan(row.current_period_start + 27 * 86_400);
    expect(await scenario.hasAccess()).toBe(true);
    expect((await eventsOf(scenarios.app, scenario.id)).slice(-2)).toEqual(['access.granted', 'subscribe.renewed']);
    expect(await scenario.advanceDays(31.1)).toMatchObject({
      status: 'active',
      current_period_start: row.current_period_end,
    });
    expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(3);
  });
});

test('subscribe.cancelled.success: past due, a cancellation is at once', async () => {
  const scenario = await scenarios.subscribe(cards.declinedAtRenewal);
  await scenario.advancePastEnd(0.5);
  await scenario.cancel();
  expect(await scenario.row()).toMatchObject({ status: 'canceled' });
  expect(await scenario.hasAccess()).toBe(false);
});

test('subscribe.requires.action: a renewal that must be confirmed is past due until it is', async () => {
  const scenario = await scenarios.subscribe(cards.success);
  await changeCardOutcome(scenarios.app, scenario, 'needs_authentication');
  expect(await scenario.advancePastEnd(0.5)).toMatchObject({
    status: 'past_due',
    failure_reason: 'authentication_required',
  });
  await scenario.send('POST', await renewalAnswerPath(scenarios.app, scenario.id), { answer: 'approved' });
  expect(await scenario.advanceDays(0.01)).toMatchObject({ status: 'active' });
});

describe('a renewal that its payer has approved in the moment of the cancellation', () => {
  let scenario: SubscriptionScenario;

  beforeEach(async () => {
    scenario = await scenarios.subscribe(cards.success);
    await changeCardOutcome(scenarios.app, scenario, 'needs_authentication');
    await scenario.advancePastEnd(0.5);
  });

  test.each([[{}], [{ at: 'now' }]])(
    'subscribe.cancelled.success: the period stays, and is the last: %j',
    async (fields) => {
      await approveSilently(scenarios.app, scenario);
      await scenario.cancel(fields);
      expect(await scenario.row()).toMatchObject({ status: 'active', cancel_at_period_end: true, grace_ends_at: 0 });
      expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(2);
      expect(await scenario.hasAccess()).toBe(true);
      expect(await scenario.advanceDays(31)).toMatchObject({ status: 'canceled' });
      expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(2);
      const events = await eventsOf(scenarios.app, scenario.id);
      expect(events.filter((type) => type.startsWith('subscribe.')).slice(-3)).toEqual([
        'subscribe.renewed',
        'subscribe.cancelled.success',
        'subscribe.expired',
      ]);
    },
  );

  test('subscribe.expired: what nobody has approved is void, and cannot be approved any more', async () => {
    await scenario.cancel();
    expect(await scenario.row()).toMatchObject({ status: 'canceled' });
    await approveSilently(scenarios.app, scenario);
    expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(1);
  });

  test('subscribe.expired: a provider that is away is asked again after a while, not at once', async () => {
    const { cardProvider } = await import('../../src/adapters/cardProviders/index.js');
    const provider = { ...cardProvider };
    let calls = 0;
    cardProvider.voidCharge = (...of) => {
      calls += 1;
      return calls > 2 ? provider.voidCharge(...of) : Promise.resolve({ outcome: 'unknown' });
    };
    await scenario.cancel();
    await until(async () => (await scenario.row()).status === 'canceled');
    Object.assign(cardProvider, provider);
    expect(calls).toBe(3);
    const timers = (await scenarios.temporal.history(scenario.id)).match(/"startToFireTimeout": ?"[12]s"/g);
    expect(timers).toHaveLength(2);
  });
});

test('subscribe.expired: the merchant’s own days count', async () => {
  const scenario = await scenarios.subscribe(cards.declinedAtRenewal);
  const fields = { grace_days: 2, retry_days: [1, 4] };
  expect((await call(scenarios.app, 'PUT', '/accounts/settings', fields, scenario.shop.merchant)).body).toMatchObject(
    fields,
  );
  expect(await scenario.advancePastEnd(2.5)).toMatchObject({ status: 'on_hold' });
  expect(await scenario.advanceDays(2)).toMatchObject({ status: 'expired' });
  expect(await chargesOf(scenarios.app, scenario.id)).toHaveLength(4);
});

test('an operator finds what is past due, why, and reads what it waits for', async () => {
  const scenario = await scenarios.subscribe(cards.declinedAtRenewal);
  await scenario.advancePastEnd(0.5);
  const { client } = scenarios.temporal;
  const query = `PaywallMerchant = ${scenario.shop.merchant.id} AND PaywallState = 'past_due'
    AND PaywallFailureReason = 'declined' AND TaskQueue = '${process.env['TEMPORAL_TASK_QUEUE']}'`;
  const found = await until(async () => {
    for await (const { workflowId } of client.workflow.list({ query })) return workflowId;
    return undefined;
  });
  expect(found).toBe(`subscription-${scenario.id}`);
  const handle = client.workflow.getHandle(found);
  const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
  expect(currentDetails).toMatch(
    /^### Past due\nThe payment failed .*; tries so far: 1\.\nNext: next charge attempt, /,
  );
  expect(await handle.query('snapshot')).toMatchObject({ state: 'past_due', next: { what: 'retry' } });
});
