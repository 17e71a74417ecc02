import { askOffer, createOffer, half, listOffers } from '../../support/cancelOffers';
import { cards, createConsumer, createFee, purchase, reaches } from '../../support/factories';
import { call } from '../../support/client';
import { type Scenarios, startScenarios, type SubscriptionScenario } from '../../support/scenarios';
import { createVoucher } from '../../support/vouchers';

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));
afterAll(() => scenarios.stop());

const offer = ({ shop }: SubscriptionScenario, fields: Record<string, unknown> = half) =>
  createOffer(scenarios.app, shop.merchant, fields);

const figures = async ({ shop }: SubscriptionScenario) =>
  (await listOffers(scenarios.app, shop.merchant)).map(({ shown, accepted, refused }) => [shown, accepted, refused]);

test('200: a discount with the price of the next charge; the same offer again until the customer decides', async () => {
  const scenario = await scenarios.subscribe();
  await offer(scenario);
  const { status, body } = await askOffer(scenario, { reason: 'technical_problems' });
  expect([status, body]).toMatchObject([
    200,
    { kind: 'discount', percent: 50, charges: 2, amount: 4.99, currency: 'EUR', reason: 'technical_problems' },
  ]);
  expect((await askOffer(scenario, { reason: 'other' })).body).toEqual(body);
  expect(await figures(scenario)).toEqual([[1, 0, 0]]);
});

test('200: requests at the same time see one offer, which counts once', async () => {
  const scenario = await scenarios.subscribe();
  await offer(scenario);
  const replies = await Promise.all([1, 2, 3, 4].map(() => askOffer(scenario)));
  expect(new Set(replies.map(({ status, body }) => `${status} ${body.offer_id}`)).size).toBe(1);
  expect(await figures(scenario)).toEqual([[1, 0, 0]]);
});

test('200: the offer for the item and the reason comes before the others', async () => {
  const scenario = await scenarios.subscribe();
  const item_id = scenario.shop.item.id;
  await offer(scenario, { ...half, percent: 10 });
  await offer(scenario, { ...half, percent: 20, reason: 'too_expensive' });
  await offer(scenario, { ...half, percent: 30, item_id });
  await offer(scenario, { ...half, percent: 40, item_id, reason: 'too_expensive' });
  await offer(scenario, { ...half, percent: 60, item_id, reason: 'other' });
  expect((await askOffer(scenario, { reason: 'too_expensive' })).body).toMatchObject({ percent: 40 });
});

test('200: half of ¥999 is ¥499, and half of a yen stays with the customer', async () => {
  const scenario = await scenarios.subscribe(cards.success, { fee: { amount: '999', currency: 'JPY' } });
  await offer(scenario);
  expect((await askOffer(scenario)).body).toMatchObject({ amount: 499, currency: 'JPY' });
});

test.each([
  ['1 percent', '9.99', 1, 9.89],
  ['all of it', '9.99', 100, 0],
  ['below the minimum of the provider', '0.60', 50, 0],
])('200: %s off', async (_name, amount, percent, left) => {
  const scenario = await scenarios.subscribe(cards.success, { fee: { amount } });
  await offer(scenario, { ...half, percent });
  expect((await askOffer(scenario)).body).toMatchObject({ amount: left });
});

test('200: a pause, with its dates and the price after it', async () => {
  const scenario = await scenarios.subscribe();
  await offer(scenario, { kind: 'pause', pause_months: 2 });
  const { body } = await askOffer(scenario);
  const { current_period_end: end } = await scenario.row();
  expect(body).toMatchObject({ kind: 'pause', pause_months: 2, amount: 9.99, effective_at: end });
  expect(body.resumes_at).toBeGreaterThan(end + 58 * 86_400);
});

test('200: a plan that is cheaper and as long; a dearer or a longer one is not offered', async () => {
  const scenario = await scenarios.subscribe();
  const { merchant, item } = scenario.shop;
  const feeOf = async (fields: Record<string, unknown>) =>
    (await createFee(scenarios.app, merchant, item.id, fields)).id;
  const plan = { kind: 'plan', item_id: item.id };
  await offer(scenario, { ...plan, access_fee_id: await feeOf({ amount: '12.99' }), reason: 'other' });
  await offer(scenario, {
    ...plan,
    access_fee_id: await feeOf({ amount: '5.00', period: 'year' }),
    reason: 'technical_problems',
  });
  const cheaper = await feeOf({ amount: '4.99', description: 'With ads' });
  await offer(scenario, { ...plan, access_fee_id: cheaper, reason: 'too_expensive' });
  for (const reason of ['other', 'technical_problems'])
    expect(await askOffer(scenario, { reason })).toMatchObject({ status: 404 });
  expect(await askOffer(scenario, { reason: 'too_expensive' })).toMatchObject({
    status: 200,
    body: { kind: 'plan', access_fee_id: cheaper, access_fee_description: 'With ads', amount: 4.99 },
  });
});

test('404 cancel_offer_not_found: no offer, one for another reason or item, and one that has ended', async () => {
  const scenario = await scenarios.subscribe();
  expect(await askOffer(scenario)).toMatchObject({ status: 404, body: { error: 'cancel_offer_not_found' } });
  await offer(scenario, { ...half, reason: 'other' });
  expect((await askOffer(scenario, { reason: 'too_expensive' })).status).toBe(404);
  const { id } = (await offer(scenario)).body;
  const end = () => call(scenarios.app, 'DELETE', `/v2/cancel-offers/${id}`, undefined, scenario.shop.merchant);
  expect((await askOffer(scenario)).status).toBe(200);
  await end();
  expect((await askOffer(scenario)).status).toBe(404);
});

test('404 cancel_offer_not_found: the customer has refused it by a cancellation, even one that was undone', async () => {
  const scenario = await scenarios.subscribe();
  await offer(scenario);
  await askOffer(scenario);
  await scenario.send('DELETE', `/subscriptions/${scenario.id}`);
  await scenario.request('resume');
  expect((await askOffer(scenario)).status).toBe(404);
  expect(await figures(scenario)).toEqual([[1, 0, 1]]);
});

test('404 cancel_offer_not_found: a discount beside one that runs, of a voucher or a plan change', async () => {
  const scenario = await scenarios.subscribe();
  const { merchant, item, fee } = scenario.shop;
  await offer(scenario);
  const terms = { discount: 20, discount_period: 'forever' };
  const { code } = await createVoucher(scenarios.app, merchant, terms);
  const consumer = await createConsumer(scenarios.app, merchant);
  const shop = { ...scenario.shop, consumer };
  const bought = { ...purchase({ fee }), voucher_code: code };
  const { body } = await call<{ subscription_id: string }>(scenarios.app, 'POST', '/subscriptions', bought, consumer);
  await reaches(scenarios.app, consumer, body.subscription_id, 'active');
  expect((await askOffer(scenarios.of(shop, body.subscription_id))).status).toBe(404);
  const { id: cheaper } = await createFee(scenarios.app, merchant, item.id, { amount: '4.99' });
  await scenario.request('switch', { access_fee_id: cheaper });
  expect((await askOffer(scenario)).status).toBe(404);
});

test('404 cancel_offer_not_found: a trial, and a subscription that is canceled, pausing, unpaid or over', async () => {
  const canceled = await scenarios.subscribe();
  await offer(canceled);
  await canceled.send('DELETE', `/subscriptions/${canceled.id}`);
  const pausing = await scenarios.subscribe();
  await offer(pausing);
  await pausing.request('pause');
  const over = await scenarios.subscribe();
  await offer(over);
  await over.send('DELETE', `/subscriptions/${over.id}`, { at: 'now' });
  const unpaid = await scenarios.subscribe(cards.declinedAtRenewal);
  await offer(unpaid);
  await unpaid.advanceDays(33);
  const trial = await scenarios.subscribe(cards.success, { trial: [7, 'day'] });
  await offer(trial);
  for (const scenario of [canceled, pausing, over, unpaid, trial]) {
    expect(await askOffer(scenario)).toMatchObject({ status: 404, body: { error: 'cancel_offer_not_found' } });
    expect(await figures(scenario)).toEqual([[0, 0, 0]]);
  }
});

test('404 cancel_offer_not_found: for twelve months after an offer, also in a new subscription to the item', async () => {
  const scenario = await scenarios.subscribe();
  await offer(scenario);
  await askOffer(scenario);
  await scenario.send('DELETE', `/subscriptions/${scenario.id}`, { at: 'now' });
  const { shop } = scenario;
  const again = async () => {
    const { body } = await call<{ subscription_id: string }>(
      ...([scenarios.app, 'POST', '/subscriptions', purchase(shop), shop.consumer] as const),
    );
    await reaches(scenarios.app, shop.consumer, body.subscription_id, 'active');
    return scenarios.of(shop, body.subscription_id);
  };
  const second = await again();
  expect((await askOffer(second)).status).toBe(404);
  await second.advanceDays(367);
  expect((await askOffer(second)).status).toBe(200);
  expect(await figures(scenario)).toEqual([[2, 0, 1]]);
});

test('404 subscription_not_found: another customer’s, and not for the merchant', async () => {
  const [scenario, other] = [await scenarios.subscribe(), await scenarios.subscribe()];
  expect(await askOffer({ ...scenario, id: other.id })).toMatchObject({
    status: 404,
    body: { error: 'subscription_not_found' },
  });
  const path = `/v2/subscriptions/${scenario.id}/cancel-offer`;
  expect((await call(scenarios.app, 'POST', path, {}, scenario.shop.merchant)).status).toBe(404);
});
