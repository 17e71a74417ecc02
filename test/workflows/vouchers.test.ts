import { call, listen } from '../support/client';
import { findFaults } from '../support/books';
import {
  cards,
  createConsumer,
  createFee,
  createShop,
  purchase,
  reaches,
  subscribe,
  type Shop,
  type Submitted,
} from '../support/factories';
import { type Scenarios, startScenarios } from '../support/scenarios';
import { type TestApp } from '../support/startApp';
import { type TemporalClient } from '../support/temporalClient';
import { until } from '../support/until';
import { createVoucher, giveGift, type Voucher } from '../support/vouchers';
import { queryBooks } from '../support/providerBooks';

let scenarios: Scenarios;
let app: TestApp;
let temporal: TemporalClient;

beforeAll(async () => {
  scenarios = await startScenarios();
  ({ app, temporal } = scenarios);
});
afterAll(() => scenarios.stop());

const submit = (shop: Shop, voucher_code: string, number: string = cards.success) =>
  call<Submitted>(app, 'POST', '/subscriptions', { ...purchase(shop, number), voucher_code }, shop.consumer);

async function stateOfUse(subject: string): Promise<string | undefined> {
  const text = 'SELECT state FROM voucher_uses WHERE subject = $1';
  return (await app.pool.query<{ state: string }>(text, [subject])).rows[0]?.state;
}

const usesOf = async ({ merchant }: Shop, { id }: Voucher) =>
  (await call<Voucher>(app, 'GET', `/vouchers/${id}`, undefined, merchant)).body.usage_counter;

async function chargedAtProvider(token: string): Promise<number[]> {
  const text = `SELECT amount_minor FROM sandbox_charges WHERE status = 'paid' AND idempotency_key LIKE $1`;
  const { rows } = await queryBooks<{ amount_minor: number }>(app.pool, text, [`${token}:%`]);
  return rows.map(({ amount_minor }) => amount_minor);
}

test('subscribe.success: the first charge is discounted, the event tells by what, and the use is confirmed', async () => {
  const shop = await createShop(app, { setup_fee_amount: '5.00' });
  const voucher = await createVoucher(app, shop.merchant, { code: 'SPRING25' });
  const channel = await listen(app, shop.consumer);
  const { body } = await submit(shop, 'spring25');
  const { resource } = await channel.hears('subscribe.success');
  expect(resource).toMatchObject({
    amount: '12.49',
    full_amount: '14.99',
    formatted_amount: '€12.49',
    discount_percent: 25,
    voucher_code: 'SPRING25',
  });
  expect(await chargedAtProvider(body.subscription_id)).toEqual([1249]);
  expect(await stateOfUse(body.subscription_id)).toBe('confirmed');
  expect(await usesOf(shop, voucher)).toBe(1);
  expect(await findFaults(app.pool, body.subscription_id)).toEqual([]);
  await channel.close();
});

test('subscribe.success: without a voucher the event says so', async () => {
  const shop = await createShop(app);
  const channel = await listen(app, shop.consumer);
  await subscribe(app, shop);
  const { resource } = await channel.hears('subscribe.success');
  expect(resource).toMatchObject({ amount: '9.99', full_amount: '9.99', discount_percent: 0, voucher_code: '' });
  await channel.close();
});

test('subscribe.success: a voucher of 100 percent gives access and charges nothing', async () => {
  const shop = await createShop(app);
  const { code } = await createVoucher(app, shop.merchant, { discount: 100 });
  const channel = await listen(app, shop.consumer);
  const { body } = await submit(shop, code);
  const { resource } = await channel.hears('subscribe.success');
  expect(resource).toMatchObject({ amount: '0.00', full_amount: '9.99', discount_percent: 100, voucher_code: code });
  expect(await chargedAtProvider(body.subscription_id)).toEqual([]);
  expect(await stateOfUse(body.subscription_id)).toBe('confirmed');
  expect((await call(app, 'GET', `/items/${shop.item.id}/access`, undefined, shop.consumer)).status).toBe(200);
  await channel.close();
});

test('subscribe.renewed: an amount reduces as many renewals as it lasts, even after a plan change', async () => {
  const shop = await createShop(app);
  const { code } = await createVoucher(app, shop.merchant, {
    ...{ discount: undefined, discount_amount: 2, rebill_discount_amount: 1, discount_currency: 'EUR' },
    ...{ discount_period: 'repeating', discount_duration: 2 },
  });
  const channel = await listen(app, shop.consumer);
  const { body } = await submit(shop, code);
  const { resource } = await channel.hears('subscribe.success');
  expect(resource).toMatchObject({ amount: '7.99', full_amount: '9.99', discount_percent: 0, voucher_code: code });
  await channel.close();
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  const scenario = scenarios.of(shop, body.subscription_id);
  const { id: access_fee_id } = await createFee(app, shop.merchant, shop.item.id, { amount: '20' });
  const preview = await scenario.request('switch:preview', { access_fee_id, mode: 'reset' });
  expect(preview).toMatchObject({ status: 200, body: { mode: 'reset', lines: [{}, { amount: 19 }] } });
  await scenario.advanceDays(32);
  await scenario.advanceDays(31);
  expect((await chargedAtProvider(scenario.id)).sort()).toEqual([799, 899, 999]);
});

test('subscribe.success: a gift is redeemed by it', async () => {
  const shop = await createShop(app);
  const receiver = await createConsumer(app, shop.merchant);
  const { giftId, code } = await giveGift(shop, receiver.email);
  const { body } = await submit({ ...shop, consumer: receiver }, code);
  await reaches(app, receiver, body.subscription_id, 'active');
  const gift = await call(app, 'GET', `/v2/vouchers/gifts/${giftId}`, undefined, shop.merchant);
  expect(gift.body).toMatchObject({ is_used: true, status: 'redeemed' });
});

test('subscribe.failed: a declined card gives the use back, and the next one has it', async () => {
  const shop = await createShop(app);
  const voucher = await createVoucher(app, shop.merchant, { usage_limit: 1 });
  const { body } = await submit(shop, voucher.code, cards.declined);
  await reaches(app, shop.consumer, body.subscription_id, 'incomplete_expired');
  expect(await stateOfUse(body.subscription_id)).toBe('released');
  expect(await usesOf(shop, voucher)).toBe(0);
  const again = await submit(shop, voucher.code);
  expect(again.status).toBe(202);
  await reaches(app, shop.consumer, again.body.subscription_id, 'active');
  expect(await usesOf(shop, voucher)).toBe(1);
});

test('subscribe.requires.action: with a voucher the payer has one hour, without one 23', async () => {
  const shop = await createShop(app);
  const { code } = await createVoucher(app, shop.merchant, { usage_limit: 1 });
  const neighbour = { ...shop, consumer: await createConsumer(app, shop.merchant) };
  const withVoucher = await submit(shop, code, cards.needsAuthentication);
  const without = await subscribe(app, neighbour, cards.needsAuthentication);
  expect(Math.round((await timerOf(withVoucher.body.subscription_id)) / 60)).toBe(60);
  expect(Math.round((await timerOf(without.body.subscription_id)) / 60)).toBe(23 * 60);
  const { rows } = await app.pool.query(`SELECT lapses_at = 'infinity' AS held FROM voucher_uses WHERE subject = $1`, [
    withVoucher.body.subscription_id,
  ]);
  expect(rows).toEqual([{ held: true }]);
});

/** How long the workflow waits, in seconds. */
async function timerOf(token: string): Promise<number> {
  const found = await until(async () => {
    const history = await temporal.history(token).catch(() => '');
    return /"startToFireTimeout": ?"([\d.]+)s"/.exec(history)?.[1];
  });
  return Number(found);
}
