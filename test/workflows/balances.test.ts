import { balanceOf as readBalance, giveCredit } from '../support/balances';
import { call, requestChange } from '../support/client';
import {
  cards,
  createConsumer,
  createFee,
  createItem,
  purchase,
  reaches,
  subscribe,
  type Shop,
} from '../support/factories';
import { chargesOf } from '../support/ledger';
import { mailsTo } from '../support/mailbox';
import { changeCardOutcome, startScenarios, type SubscriptionScenario, type Scenarios } from '../support/scenarios';
import { paid, refund, refunded, settles, type SubmittedPayment } from '../support/payments';

/** Credit and debt of a customer, over purchases, plan changes and refunds. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

const feeOf = async (scenario: SubscriptionScenario, fields: Record<string, unknown>) =>
  (await createFee(scenarios.app, scenario.shop.merchant, scenario.shop.item.id, fields)).id;

const amounts = async ({ id }: Pick<SubscriptionScenario, 'id'>) =>
  (await chargesOf(scenarios.app, id)).filter(({ status }) => status === 'paid').map(({ amount }) => amount);

const balanceOf = ({ consumer }: Shop) => readBalance(scenarios.app, consumer.id);

/** Buys the fee again, after the last subscription has ended. */
async function buyAgain({ shop }: SubscriptionScenario, card: string = cards.success): Promise<SubscriptionScenario> {
  const { body } = await subscribe(scenarios.app, shop, card);
  await reaches(scenarios.app, shop.consumer, body.subscription_id, 'active');
  return scenarios.of(shop, body.subscription_id);
}

const allowLater = ({ item }: Shop) =>
  scenarios.app.pool.query('UPDATE items SET next_invoice_enabled = true WHERE id = $1', [item.id]);

const cancelNow = (scenario: SubscriptionScenario) =>
  scenario.send('DELETE', `/subscriptions/${scenario.id}`, { at: 'now' });

const yearly = { amount: '100', period: 'year' };

test('200: after a change from a year to a month and back, the year is paid once', async () => {
  const scenario = await scenarios.subscribe(cards.success, { fee: yearly });
  const month = await feeOf(scenario, { amount: '1' });
  for (const access_fee_id of [month, scenario.shop.fee.id, month, scenario.shop.fee.id])
    expect((await scenario.request('switch', { access_fee_id, mode: 'now' })).status).toBe(200);
  expect((await amounts(scenario)).reduce((sum, amount) => sum + amount, 0)).toBe(10_000);
  expect(await balanceOf(scenario.shop)).toBe(0);
});

test('202: a credit pays for the next purchase of its owner', async () => {
  const scenario = await scenarios.subscribe(cards.success, { fee: yearly });
  await scenario.request('switch', { access_fee_id: await feeOf(scenario, { amount: '1' }), mode: 'now' });
  expect(await balanceOf(scenario.shop)).toBe(9_900);
  await cancelNow(scenario);
  await reaches(scenarios.app, scenario.shop.consumer, scenario.id, 'canceled');
  const next = await buyAgain(scenario);
  expect(await amounts(next)).toEqual([100]);
  expect(await balanceOf(scenario.shop)).toBe(0);
});

test('200: a refund reverses the credit of its charge, and no money is returned twice', async () => {
  const scenario = await scenarios.subscribe(cards.success, { fee: yearly });
  await scenario.request('switch', { access_fee_id: await feeOf(scenario, { amount: '1' }), mode: 'now' });
  const trxToken = `${scenario.id}-1-1`;
  expect((await refund(scenarios.app, scenario.shop.merchant, trxToken)).status).toBe(200);
  await refunded(scenarios.app, trxToken);
  expect(await balanceOf(scenario.shop)).toBe(0);
  expect((await scenario.advanceDays(32)).status).toBe('active');
  expect(await amounts(scenario)).toEqual([10_000, 100]);
});

test('422 invalid_input: a refund of more than the rest, if the credit of the charge is used', async () => {
  const scenario = await scenarios.subscribe(cards.success, { fee: yearly });
  const month = await feeOf(scenario, { amount: '1' });
  await scenario.request('switch', { access_fee_id: month, mode: 'now' });
  await scenario.request('switch', { access_fee_id: scenario.shop.fee.id, mode: 'now' });
  const trxToken = `${scenario.id}-1-1`;
  const { status, body } = await refund(scenarios.app, scenario.shop.merchant, trxToken, { amount: 100 });
  expect([status, body]).toMatchObject([422, { errors: { amount: expect.stringContaining('€1.00') as unknown } }]);
  expect((await refund(scenarios.app, scenario.shop.merchant, trxToken, { amount: 1 })).status).toBe(200);
});

test('202: the next purchase uses the credit of a declined one', async () => {
  const scenario = await scenarios.subscribe(cards.success, { fee: yearly });
  await scenario.request('switch', { access_fee_id: await feeOf(scenario, { amount: '1' }), mode: 'now' });
  await cancelNow(scenario);
  await reaches(scenarios.app, scenario.shop.consumer, scenario.id, 'canceled');
  const { body } = await subscribe(scenarios.app, scenario.shop, cards.declined);
  await reaches(scenarios.app, scenario.shop.consumer, body.subscription_id, 'incomplete_expired');
  expect(await balanceOf(scenario.shop)).toBe(9_900);
  expect(await amounts(await buyAgain(scenario))).toEqual([100]);
});

test('200: the credit stays if the card declines a plan change', async () => {
  const scenario = await scenarios.subscribe(cards.success, { fee: yearly });
  const month = await feeOf(scenario, { amount: '1' });
  await scenario.request('switch', { access_fee_id: month, mode: 'now' });
  await changeCardOutcome(scenarios.app, scenario, 'declined');
  const dear = await feeOf(scenario, { amount: '300', period: 'year' });
  expect((await scenario.request('switch', { access_fee_id: dear, mode: 'now' })).status).toBe(402);
  expect(await balanceOf(scenario.shop)).toBe(9_900);
  expect((await scenario.request('switch', { access_fee_id: scenario.shop.fee.id, mode: 'now' })).status).toBe(200);
  expect(await balanceOf(scenario.shop)).toBe(0);
});

test('422 invalid_input: a consumer cannot get a more expensive plan now and pay later, unless the item allows it', async () => {
  const scenario = await scenarios.subscribe(cards.success, { fee: { amount: '1' } });
  const sent = { access_fee_id: await feeOf(scenario, { amount: '100' }), mode: 'next_invoice' };
  for (const what of ['switch', 'switch:preview']) {
    const { status, body } = await scenario.request(what, sent);
    expect([status, body]).toMatchObject([422, { errors: { mode: expect.any(String) as unknown } }]);
  }
  expect(await scenario.row()).toMatchObject({ access_fee_id: scenario.shop.fee.id });
  await allowLater(scenario.shop);
  expect((await scenario.request('switch', sent)).status).toBe(200);
  expect(await balanceOf(scenario.shop)).toBe(-9_900);
});

test('200: a merchant charges the difference with the next invoice', async () => {
  const scenario = await scenarios.subscribe(cards.success, { fee: { amount: '1' } });
  const sent = { access_fee_id: await feeOf(scenario, { amount: '100' }), mode: 'next_invoice' };
  const { status } = await requestChange(
    scenarios.app,
    'POST',
    `/subscriptions/${scenario.id}/switch`,
    sent,
    scenario.shop.merchant,
  );
  expect([status, await balanceOf(scenario.shop)]).toEqual([200, -9_900]);
  await scenario.advanceDays(32);
  expect(await amounts(scenario)).toEqual([100, 19_900]);
});

test('200: a debt is charged at the end of the subscription', async () => {
  const scenario = await scenarios.subscribe(cards.success, { fee: { amount: '1' } });
  await allowLater(scenario.shop);
  await scenario.request('switch', { access_fee_id: await feeOf(scenario, { amount: '100' }), mode: 'next_invoice' });
  await scenario.send('DELETE', `/subscriptions/${scenario.id}`);
  expect((await scenario.advanceDays(32)).status).toBe('canceled');
  expect(await amounts(scenario)).toEqual([100, 9_900]);
  expect(await balanceOf(scenario.shop)).toBe(0);
  // A charge of a debt alone has no period, so evidence in a dispute claims none.
  const { rows } = await scenarios.app.pool.query(
    'SELECT period_start IS NOT NULL AS paid FROM charges WHERE account_id = $1 ORDER BY cycle',
    [scenario.shop.consumer.id],
  );
  expect(rows).toEqual([{ paid: true }, { paid: false }]);
});

test('202: a debt that cannot be charged at the end is charged with the next purchase, once', async () => {
  const scenario = await scenarios.subscribe(cards.success, { fee: { amount: '1' } });
  await allowLater(scenario.shop);
  await scenario.request('switch', { access_fee_id: await feeOf(scenario, { amount: '100' }), mode: 'next_invoice' });
  await changeCardOutcome(scenarios.app, scenario, 'declined');
  await cancelNow(scenario);
  await reaches(scenarios.app, scenario.shop.consumer, scenario.id, 'canceled');
  expect(await balanceOf(scenario.shop)).toBe(-9_900);
  await changeCardOutcome(scenarios.app, scenario, 'success');
  expect(await amounts(await buyAgain(scenario))).toEqual([10_000]);
  expect(await balanceOf(scenario.shop)).toBe(0);
});

test('409 price_changed: the debt is newer than the price that the customer saw', async () => {
  const { shop } = await scenarios.subscribe(cards.success, { fee: { amount: '1' } });
  const other = { ...shop, consumer: await createConsumer(scenarios.app, shop.merchant) };
  await giveCredit(scenarios.app, other.consumer.id, -9_900);
  const buy = (expected_amount: number) =>
    call(scenarios.app, 'POST', '/subscriptions', { ...purchase(other), expected_amount }, other.consumer);
  expect(await buy(1)).toMatchObject({ status: 409, body: { error: 'price_changed' } });
  expect((await buy(100)).status).toBe(202);
});

test('200: two purchases at once use a credit once, and a purchase that it pays in full needs no card', async () => {
  const { shop } = await scenarios.subscribe(cards.success, { fee: { amount: '1' } });
  const consumer = await createConsumer(scenarios.app, shop.merchant);
  const single = { access_type: 'ppv', quantity: 2, period: 'day', amount: '4.50' };
  const fees = [1, 2].map(async () => {
    const item = await createItem(scenarios.app, shop.merchant);
    return createFee(scenarios.app, shop.merchant, item.id, single);
  });
  await giveCredit(scenarios.app, consumer.id, 450);
  const buyers = (await Promise.all(fees)).map((fee) => ({ ...shop, consumer, fee }));
  const tokens = await Promise.all(buyers.map((buyer) => paid(scenarios.app, buyer)));
  const text = `SELECT amount_minor::int AS amount FROM charges WHERE trx_token = ANY($1) ORDER BY 1`;
  expect((await scenarios.app.pool.query(text, [tokens])).rows).toEqual([{ amount: 0 }, { amount: 450 }]);
  expect(await readBalance(scenarios.app, consumer.id)).toBe(0);
  await giveCredit(scenarios.app, consumer.id, 450);
  await scenarios.app.pool.query('DELETE FROM default_cards WHERE account_id = $1', [consumer.id]);
  const third = await createFee(
    scenarios.app,
    shop.merchant,
    (await createItem(scenarios.app, shop.merchant)).id,
    single,
  );
  const { body } = await call<SubmittedPayment>(scenarios.app, 'POST', '/payments', { access_fee: third.id }, consumer);
  await settles(scenarios.app, body.transaction, 'paid');
  expect(await readBalance(scenarios.app, consumer.id)).toBe(0);
});

test('200: the credit of a period that a plan change began comes from the charge that paid for it', async () => {
  const scenario = await scenarios.subscribe(cards.success, { fee: yearly });
  await scenario.request('switch', { access_fee_id: await feeOf(scenario, { amount: '10' }), mode: 'now' });
  await scenario.request('switch', { access_fee_id: await feeOf(scenario, { amount: '1' }), mode: 'now' });
  expect(await balanceOf(scenario.shop)).toBe(9_900);
  const trxToken = `${scenario.id}-1-1`;
  await refund(scenarios.app, scenario.shop.merchant, trxToken);
  await refunded(scenarios.app, trxToken);
  expect(await balanceOf(scenario.shop)).toBe(0);
});

test('202: each receipt states the credit that the charge used, or the debt that it collected', async () => {
  const { shop } = await scenarios.subscribe(cards.success, { fee: { amount: '1' } });
  const receipts = async (buyer: Shop) =>
    (await mailsTo(scenarios.app, buyer.merchant, buyer.consumer.email))
      .filter(({ template }) => template === 'receipt')
      .map(({ text }) => text?.split('\n')[0]?.replace(/^.*: (€[^,]*), paid on [^.]*\./, '$1'));
  const buyWith = async (balanceMinor: number, fields: Record<string, unknown>) => {
    const consumer = await createConsumer(scenarios.app, shop.merchant);
    const item = await createItem(scenarios.app, shop.merchant);
    const buyer = { ...shop, consumer, item, fee: await createFee(scenarios.app, shop.merchant, item.id, fields) };
    if (balanceMinor !== 0) await giveCredit(scenarios.app, consumer.id, balanceMinor);
    return buyer;
  };
  const month = { amount: '10.00' };
  const day = { access_type: 'ppv', quantity: 1, period: 'day', amount: '10.00' };
  const subscribed = async (balanceMinor: number) => {
    const buyer = await buyWith(balanceMinor, month);
    const { body } = await subscribe(scenarios.app, buyer);
    await reaches(scenarios.app, buyer.consumer, body.subscription_id, 'active');
    return receipts(buyer);
  };
  const bought = async (balanceMinor: number) => {
    const buyer = await buyWith(balanceMinor, day);
    await paid(scenarios.app, buyer);
    return receipts(buyer);
  };
  for (const buy of [subscribed, bought]) {
    expect(await buy(0)).toEqual(['€10.00 Thank you.']);
    expect(await buy(200)).toEqual(['€8.00 Your credit of €2.00 paid the rest. Thank you.']);
    expect(await buy(-200)).toEqual(['€12.00 This includes €2.00 that you owed. Thank you.']);
    expect(await buy(1000)).toEqual(['€0.00 Your credit of €10.00 paid the rest. Thank you.']);
  }
});
