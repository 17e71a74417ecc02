import { cards, createShop, reaches, subscribe } from '../support/factories';
import { chargesOf, eventsOf, mailsTo, takenFor } from '../support/ledger';
import { changeCardOutcome, startScenarios, type SubscriptionScenario, type Scenarios } from '../support/scenarios';
import { passDays } from '../support/testClock';

/** The card provider refuses charges for a reason other than the payer's card. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));
afterAll(() => scenarios.stop());

const toldMerchant = async ({ shop }: SubscriptionScenario) => {
  const told = await mailsTo(scenarios.app, shop.merchant.id);
  return told.filter((template) => template === 'charges_refused');
};

describe('a renewal', () => {
  test('200: it waits during the days of grace without dunning, and is paid when the fault is fixed', async () => {
    const scenario = await scenarios.subscribe(cards.misconfiguredAtRenewal);
    const { current_period_end: firstEnd } = await scenario.row();
    const waiting = await scenario.advancePastEnd(1);
    expect(waiting).toMatchObject({ status: 'active', failure_reason: '', next_retry_at: 0 });
    expect(await scenario.hasAccess()).toBe(true);
    expect(await mailsTo(scenarios.app, scenario.shop.consumer.id)).toEqual(['receipt']);
    expect(await toldMerchant(scenario)).toHaveLength(1);

    await changeCardOutcome(scenarios.app, scenario, 'success');
    const paid = await scenario.advanceDays(0.1);
    expect(paid).toMatchObject({ status: 'active', current_period_start: firstEnd });
    expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(2);
    expect(await chargesOf(scenarios.app, scenario.id)).toMatchObject([
      { status: 'paid' },
      { status: 'paid', attempt: 1 },
    ]);
    expect(await eventsOf(scenarios.app, scenario.id)).toEqual([
      'access.granted',
      'subscribe.success',
      'subscribe.renewed',
    ]);
    expect(await mailsTo(scenarios.app, scenario.shop.consumer.id)).toEqual(['receipt', 'receipt']);
  });

  test('402: no access after the days of grace; a new period begins with the payment', async () => {
    const scenario = await scenarios.subscribe(cards.misconfiguredAtRenewal);
    expect(await scenario.advancePastEnd(25)).toMatchObject({ status: 'on_hold' });
    expect(await scenario.hasAccess()).toBe(false);
    expect(await mailsTo(scenarios.app, scenario.shop.consumer.id)).toEqual(['receipt', 'payment_deferred']);
    expect(await toldMerchant(scenario)).toHaveLength(1);

    await changeCardOutcome(scenarios.app, scenario, 'success');
    const paid = await scenario.advanceDays(0.1);
    expect(paid.status).toBe('active');
    expect(await scenario.hasAccess()).toBe(true);
    expect(paid.current_period_start).toBeGreaterThan(paid.created_at + 50 * 86_400);
  });

  test('subscribe.past_due: a later decline begins the days of grace', async () => {
    const scenario = await scenarios.subscribe(cards.misconfiguredAtRenewal);
    await scenario.advancePastEnd(5);
    await changeCardOutcome(scenarios.app, scenario, 'declined_at_renewal');
    const failed = await scenario.advanceDays(0.1);
    expect(failed.status).toBe('past_due');
    await scenario.advanceDays(4);
    expect(await scenario.hasAccess()).toBe(true);
    expect((await scenario.advanceDays(4)).status).toBe('on_hold');
    expect(await scenario.hasAccess()).toBe(false);
  });

  test('200: a cancellation ends it, and nothing is charged when the fault is fixed', async () => {
    const scenario = await scenarios.subscribe(cards.misconfiguredAtRenewal);
    await scenario.advancePastEnd(1);
    expect((await scenario.send('DELETE', `/subscriptions/${scenario.id}`, {})).status).toBe(200);
    await reaches(scenarios.app, scenario.shop.consumer, scenario.id, 'canceled');
    await changeCardOutcome(scenarios.app, scenario, 'success');
    await scenario.advanceDays(3);
    expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(1);
    expect(await chargesOf(scenarios.app, scenario.id)).toMatchObject([{ status: 'paid' }, { status: 'declined' }]);
    expect(await scenario.hasAccess()).toBe(false);
  });

  test('200: another card pays for it at once', async () => {
    const scenario = await scenarios.subscribe(cards.misconfiguredAtRenewal);
    await scenario.advancePastEnd(1);
    const card = { number: cards.success, card_name: 'Ana', exp_month: 1, exp_year: 2041, cvv: 123 };
    await scenario.send('PUT', '/v2/payments/cards/default', { ...card, currency_iso: 'EUR' });
    await scenario.advanceDays(0.001);
    expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(2);
  });

  test('409 subscription_state: no pause and no plan change while it waits; 402: an attempt with the same fault', async () => {
    const scenario = await scenarios.subscribe(cards.misconfiguredAtRenewal);
    await scenario.advancePastEnd(1);
    expect((await scenario.request('pause')).status).toBe(409);
    const { status, body } = await scenario.request('retry');
    expect([status, body]).toMatchObject([402, { explain: expect.stringContaining('not your card') as string }]);
  });
});

test('charges_refused: the merchant gets one mail, however many charges fail', async () => {
  const shop = await createShop(scenarios.app);
  for (let count = 0; count < 2; count += 1) {
    const { body } = await subscribe(scenarios.app, shop, cards.misconfigured);
    await reaches(scenarios.app, shop.consumer, body.subscription_id, 'incomplete_expired');
  }
  const mails = await mailsTo(scenarios.app, shop.merchant.id);
  expect(mails.filter((template) => template === 'charges_refused')).toHaveLength(1);
});

test('subscribe.failed: a purchase says that the card is not the reason, and is not charged later', async () => {
  const shop = await createShop(scenarios.app);
  const { body } = await subscribe(scenarios.app, shop, cards.misconfigured);
  const id = body.subscription_id;
  const row = await reaches(scenarios.app, shop.consumer, id, 'incomplete_expired');
  expect(row.failure_reason).toBe('provider_misconfigured');
  const text = `SELECT resource->>'message' AS message FROM events WHERE dedupe_key = $1`;
  const { rows } = await scenarios.app.pool.query<{ message: string }>(text, [`${id}:failed`]);
  expect(rows).toEqual([{ message: expect.stringContaining('not your card') as string }]);
  await changeCardOutcome(scenarios.app, { id }, 'success');
  await passDays(scenarios.app, shop.merchant, 2);
  expect(await takenFor(scenarios.app, id)).toEqual([]);
  expect((await scenarios.of(shop, id).row()).status).toBe('incomplete_expired');
});
