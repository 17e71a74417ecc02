import { acceptOffer, askOffer, createOffer, half, listOffers } from '../../support/cancelOffers';
import { cards, createFee } from '../../support/factories';
import { call } from '../../support/client';
import { chargesOf, eventsOf } from '../../support/ledger';
import { type Scenarios, startScenarios, type SubscriptionScenario } from '../../support/scenarios';

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));
afterAll(() => scenarios.stop());

/** A subscription whose customer sees an offer. */
async function offered(fields: Record<string, unknown> = half, fee: Record<string, unknown> = {}) {
  const scenario = await scenarios.subscribe(cards.success, { fee });
  const made = await createOffer(scenarios.app, scenario.shop.merchant, fields);
  const { offer_id: id } = (await askOffer(scenario)).body;
  return { scenario, id, offer: made.body.id, accept: () => acceptOffer(scenarios.app, scenario, id) };
}

const amountsOf = async ({ id }: SubscriptionScenario) =>
  (await chargesOf(scenarios.app, id)).map(({ amount }) => amount);

const countsOf = async ({ shop }: SubscriptionScenario) =>
  (await listOffers(scenarios.app, shop.merchant)).map(({ shown, accepted, refused }) => [shown, accepted, refused]);

test('200: the next two charges have the discount, and the third one the whole price', async () => {
  const { scenario, accept } = await offered();
  expect((await accept()).status).toBe(200);
  expect(await scenario.row()).toMatchObject({ next_amount: 4.99, offer_percent: 50, offer_charges_left: 2 });
  expect(await eventsOf(scenarios.app, scenario.id)).toContain('subscribe.updated');
  await scenario.advanceDays(32);
  expect(await scenario.row()).toMatchObject({ charged_amount: 4.99, next_amount: 4.99, offer_charges_left: 1 });
  await scenario.advanceDays(31);
  expect(await scenario.row()).toMatchObject({ next_amount: 9.99, offer_percent: 0, offer_charges_left: 0 });
  await scenario.advanceDays(31);
  expect(await amountsOf(scenario)).toEqual([999, 499, 499, 999]);
  expect(await countsOf(scenario)).toEqual([[1, 1, 0]]);
});

test.each([
  ['1', 1, 'EUR', '9.99', [999, 989, 999]],
  ['100', 100, 'EUR', '9.99', [999, 0, 999]],
  ['50, in yen', 50, 'JPY', '999', [999, 499, 999]],
])('200: one charge with a discount of %s percent', async (_name, percent, currency, amount, expected) => {
  const { scenario, accept } = await offered({ kind: 'discount', percent, charges: 1 }, { amount, currency });
  expect((await accept()).status).toBe(200);
  await scenario.advanceDays(32);
  await scenario.advanceDays(31);
  expect(await amountsOf(scenario)).toEqual(expected);
});

test('200: a pause begins with the end of the period, and ends by itself', async () => {
  const { scenario, accept } = await offered({ kind: 'pause', pause_months: 1 });
  const { current_period_end: end } = await scenario.row();
  expect((await accept()).status).toBe(200);
  const row = await scenario.row();
  expect(row).toMatchObject({ status: 'active', pauses_at_period_end: true });
  expect(row.resumes_at).toBeGreaterThanOrEqual(end + 28 * 86_400);
  expect(await scenario.advanceDays(35)).toMatchObject({ status: 'paused' });
  expect(await scenario.advanceDays(30)).toMatchObject({ status: 'active' });
  expect(await amountsOf(scenario)).toEqual([999, 999]);
});

test('200: a cheaper plan begins with the next period', async () => {
  const scenario = await scenarios.subscribe();
  const { merchant, item } = scenario.shop;
  const { id: cheaper } = await createFee(scenarios.app, merchant, item.id, { amount: '4.99' });
  await createOffer(scenarios.app, merchant, { kind: 'plan', item_id: item.id, access_fee_id: cheaper });
  const { offer_id: id } = (await askOffer(scenario)).body;
  expect((await acceptOffer(scenarios.app, scenario, id)).status).toBe(200);
  expect(await scenario.row()).toMatchObject({ pending_access_fee_id: cheaper });
  await scenario.advanceDays(32);
  expect(await scenario.row()).toMatchObject({ access_fee_id: cheaper });
  expect(await amountsOf(scenario)).toEqual([999, 499]);
});

test('a change of the plan ends the discount', async () => {
  const { scenario, accept } = await offered();
  await accept();
  const { merchant, item } = scenario.shop;
  const { id: dearer } = await createFee(scenarios.app, merchant, item.id, { amount: '19.99' });
  await scenario.request('switch', { access_fee_id: dearer, mode: 'next_period' });
  await scenario.advanceDays(32);
  expect(await scenario.row()).toMatchObject({ access_fee_id: dearer, offer_percent: 0, next_amount: 19.99 });
  expect(await amountsOf(scenario)).toEqual([999, 1999]);
});

test('accepted twice at the same time: one discount', async () => {
  const { scenario, accept } = await offered();
  const statuses = (await Promise.all([accept(), accept(), accept()])).map(({ status }) => status).sort();
  expect(statuses[0]).toBe(200);
  expect(statuses.slice(1).every((status) => status === 404 || status === 409)).toBe(true);
  expect(await scenario.row()).toMatchObject({ offer_charges_left: 2 });
  expect(await countsOf(scenario)).toEqual([[1, 1, 0]]);
});

test('accepted while the period ends: exactly two charges have the discount', async () => {
  const { scenario, accept } = await offered();
  const [reply] = await Promise.all([accept(), scenario.advanceDays(32)]);
  expect(reply.status).toBe(200);
  for (const days of [31, 31, 31]) await scenario.advanceDays(days);
  const amounts = await amountsOf(scenario);
  expect(amounts).toHaveLength(5);
  expect(amounts.filter((amount) => amount === 499)).toHaveLength(2);
  expect(amounts.join()).toContain('499,499');
});

test('accepted and canceled at the same time: the offer counts once, and the run keeps one order', async () => {
  const { scenario, accept } = await offered();
  const [reply] = await Promise.all([accept(), scenario.send('DELETE', `/subscriptions/${scenario.id}`)]);
  expect(await scenario.row()).toMatchObject({ cancel_at_period_end: true });
  expect(await countsOf(scenario)).toEqual([reply.status === 200 ? [1, 1, 0] : [1, 0, 1]]);
});

test('404 cancel_offer_not_found: refused before, ended by the merchant, or of another customer', async () => {
  const refused = await offered();
  await refused.scenario.send('DELETE', `/subscriptions/${refused.scenario.id}`);
  await refused.scenario.request('resume');
  const ended = await offered();
  await call(scenarios.app, 'DELETE', `/v2/cancel-offers/${ended.offer}`, undefined, ended.scenario.shop.merchant);
  for (const { accept } of [refused, ended])
    expect(await accept()).toMatchObject({ status: 404, body: { error: 'cancel_offer_not_found' } });
  const [own, other] = [await offered(), await offered()];
  expect((await acceptOffer(scenarios.app, own.scenario, other.id)).status).toBe(404);
  expect(await countsOf(other.scenario)).toEqual([[1, 0, 0]]);
});

test('404 subscription_not_found: another customer’s subscription', async () => {
  const [own, other] = [await offered(), await offered()];
  const foreign = { ...own.scenario, id: other.scenario.id };
  expect(await acceptOffer(scenarios.app, foreign, other.id)).toMatchObject({
    status: 404,
    body: { error: 'subscription_not_found' },
  });
});

test('409 subscription_state: it has ended, or its payment is open', async () => {
  const over = await offered();
  await over.scenario.send('DELETE', `/subscriptions/${over.scenario.id}`, { at: 'now' });
  expect([404, 409]).toContain((await over.accept()).status);
  const unpaid = await scenarios.subscribe(cards.declinedAtRenewal);
  await createOffer(scenarios.app, unpaid.shop.merchant);
  const { offer_id: id } = (await askOffer(unpaid)).body;
  await unpaid.advanceDays(33);
  expect(await acceptOffer(scenarios.app, unpaid, id)).toMatchObject({
    status: 409,
    body: { error: 'subscription_state' },
  });
  expect(await unpaid.row()).toMatchObject({ offer_percent: 0 });
});
