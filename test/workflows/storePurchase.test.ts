import { randomUUID } from 'node:crypto';
import { type StoreName } from '../../src/adapters/appStores/store';
import { type Order, type SimulatedPurchase } from '../../scripts/storeSimulator/purchase';
import { createFee, createItem } from '../support/factories';
import { readMetric } from '../support/metrics';
import { isErased, requestErasure } from '../support/privacy';
import { type TestApp } from '../support/startApp';
import {
  buy,
  capture,
  createNotifiedShop,
  eventsOf,
  isQuiet,
  mayWatch,
  moveClock,
  present,
  push,
  settled,
  startStoreApp,
  type Stores,
  type StoreShop,
} from '../support/stores';
import { type TemporalClient } from '../support/temporalClient';
import { until } from '../support/until';

/** The changes of a purchase after its claim. */

let stores: Stores;
let app: TestApp;
let stop: () => Promise<void>;
let temporal: TemporalClient;
let shop: StoreShop;

beforeAll(async () => {
  ({ app, stores, temporal, stop } = await startStoreApp());
});
afterAll(() => stop());
beforeEach(async () => {
  shop = await createNotifiedShop(app, stores);
});

interface Row {
  id: number;
  token: string;
  state: string;
  auto_renew: boolean;
  item_id: number;
  access_fee_id: number;
  replaced_at: Date | null;
  next_look_at: Date | null;
  expires_at: Date | null;
}

async function rowOf(purchase: SimulatedPurchase): Promise<Row> {
  const originalId = { apple: '', 'google-play': stores.googlePlay.purchaseToken(purchase), amazon: '', roku: '' };
  const { rows } = await app.pool.query<Row>(
    `SELECT * FROM store_purchases WHERE account_id = $1 AND ($2 = '' OR original_id = $2) ORDER BY id`,
    [shop.consumer.id, originalId[purchase.store]],
  );
  const [row] = rows;
  if (!row) throw new Error('the purchase was not claimed');
  return row;
}

async function claimed(store: StoreName, order: Partial<Order> = {}): Promise<SimulatedPurchase> {
  const purchase = buy(shop, store, order);
  expect((await settled(shop, await present(shop, purchase))).state).toBe('succeeded');
  return purchase;
}

const becomes = (purchase: SimulatedPurchase, expected: Partial<Row>) =>
  until(async () => {
    const row = await rowOf(purchase);
    return Object.entries(expected).every(([name, value]) => row[name as keyof Row] === value) && row;
  });

const typesOf = async () => (await eventsOf(shop, shop.consumer)).map(({ type }) => type);
const begun = ['access.granted', 'external.payment.success', 'external.subscribe.success', 'subscribe.success'];

const marketOf = () => stores.simulator.market;
const hourMs = 3_600_000;
const later = (ms: number) => moveClock(shop, new Date(marketOf().now.getTime() + ms));

const isAtRest = (token: string) => until(() => isQuiet(app, temporal, token));

test.each(['apple', 'google-play', 'amazon'] as const)(
  'access.revoked: money that %s gives back ends the access at once',
  async (store) => {
    const purchase = await claimed(store);
    marketOf().refund(purchase.id);
    await becomes(purchase, { state: 'revoked' });
    expect(await mayWatch(shop, shop.consumer)).toBe(false);
    // A store may report the end before the refund.
    expect((await typesOf()).slice(begun.length).sort()).toEqual([
      'access.revoked',
      'external.payment.refund.success',
      'subscribe.expired',
    ]);
  },
);

test.each(['apple', 'google-play', 'amazon'] as const)(
  'subscribe.expired: a subscription in %s that is refunded after its end has ended once',
  async (store) => {
    const purchase = await claimed(store);
    marketOf().setAutoRenew(purchase.id, false);
    await later(40 * 24 * hourMs);
    await becomes(purchase, { state: 'expired' });
    marketOf().refund(purchase.id);
    await becomes(purchase, { state: 'revoked' });
    const types = await typesOf();
    expect(types.filter((type) => type === 'subscribe.expired')).toHaveLength(1);
    expect(types).toContain('external.payment.refund.success');
  },
);

test('access.granted: a refund that Apple takes back opens the item again', async () => {
  const purchase = await claimed('apple');
  marketOf().refund(purchase.id);
  await becomes(purchase, { state: 'revoked' });
  marketOf().reverseRefund(purchase.id);
  await becomes(purchase, { state: 'active' });
  expect(await mayWatch(shop, shop.consumer)).toBe(true);
  const { rows } = await app.pool.query('SELECT refunded_at FROM store_payments WHERE account_id = $1', [
    shop.consumer.id,
  ]);
  expect(rows).toEqual([{ refunded_at: null }]);
});

test.each(['apple', 'google-play'] as const)('a thing bought once in %s that is given back', async (store) => {
  const fee = await createFee(app, shop.merchant, shop.item.id, { access_type: 'ppv', period: 'year' });
  const purchase = await claimed(store, { kind: 'one_time', productId: `${shop.item.id}_${fee.id}` });
  marketOf().refund(purchase.id);
  await becomes(purchase, { state: 'revoked' });
  expect(await mayWatch(shop, shop.consumer)).toBe(false);
  expect(await typesOf()).toEqual([...begun.slice(0, 2), 'access.revoked', 'external.payment.refund.success']);
});

test('a thing bought once in Roku, whose answer never calls it entitled, stays open', async () => {
  const fee = await createFee(app, shop.merchant, shop.item.id, { access_type: 'ppv', period: 'year' });
  const purchase = await claimed('roku', { kind: 'one_time', productId: `${shop.item.id}_${fee.id}` });
  await later(48 * hourMs);
  await isAtRest((await rowOf(purchase)).token);
  expect(await mayWatch(shop, shop.consumer)).toBe(true);
});

test('subscribe.updated: a pause ends the access, and its end opens it again', async () => {
  const purchase = await claimed('google-play');
  marketOf().pause(purchase.id, null);
  await becomes(purchase, { state: 'paused' });
  expect(await mayWatch(shop, shop.consumer)).toBe(false);
  await later(hourMs);
  await isAtRest((await rowOf(purchase)).token);
  expect(await mayWatch(shop, shop.consumer)).toBe(false);
  marketOf().resume(purchase.id);
  await becomes(purchase, { state: 'active' });
  expect(await mayWatch(shop, shop.consumer)).toBe(true);
  expect((await typesOf()).slice(begun.length)).toEqual([
    'access.revoked',
    'subscribe.updated',
    'access.granted',
    'subscribe.renewed',
  ]);
});

test('subscribe.cancelled.success: what is paid for still runs; and it may be taken back', async () => {
  const purchase = await claimed('apple');
  marketOf().setAutoRenew(purchase.id, false);
  await becomes(purchase, { auto_renew: false });
  expect(await mayWatch(shop, shop.consumer)).toBe(true);
  marketOf().setAutoRenew(purchase.id, true);
  await becomes(purchase, { auto_renew: true });
  expect((await typesOf()).slice(begun.length)).toEqual([
    'subscribe.cancelled.success',
    'external.subscribe.cancel.success',
    'subscribe.updated',
  ]);
});

test('subscribe.updated: another product is another fee, of another item', async () => {
  const item = await createItem(app, shop.merchant);
  const fee = await createFee(app, shop.merchant, item.id);
  const purchase = await claimed('apple');
  marketOf().change(purchase.id, `${item.id}_${fee.id}`, 'now');
  await becomes(purchase, { item_id: item.id, access_fee_id: fee.id });
  expect(await mayWatch(shop, shop.consumer)).toBe(false);
  expect(await mayWatch({ ...shop, item }, shop.consumer)).toBe(true);
  expect((await typesOf()).slice(begun.length)).toEqual(expect.arrayContaining(['access.revoked', 'access.granted']));
});

test('a change that is for the next period waits for it', async () => {
  const fee = await createFee(app, shop.merchant, shop.item.id, { period: 'year', amount: '99' });
  const purchase = await claimed('apple', { length: { quantity: 1, period: 'day' } });
  marketOf().change(purchase.id, `${shop.item.id}_${fee.id}`, 'next_period');
  const next = 'SELECT 1 FROM store_purchases WHERE account_id = $1 AND next_product_id IS NOT NULL';
  await until(async () => (await app.pool.query(next, [shop.consumer.id])).rows.length === 1);
  expect((await rowOf(purchase)).access_fee_id).toBe(shop.fee.id);
  await later(25 * hourMs);
  await becomes(purchase, { access_fee_id: fee.id });
  expect(await mayWatch(shop, shop.consumer)).toBe(true);
});

test('trial.converted: the first period that is paid for after a trial', async () => {
  const purchase = await claimed('apple', { trial: { quantity: 1, period: 'week' } });
  await later(8 * 24 * hourMs);
  await until(async () => (await typesOf()).includes('subscribe.renewed'));
  expect((await typesOf()).slice(-2)).toEqual(['trial.converted', 'subscribe.renewed']);
  expect(await rowOf(purchase)).toMatchObject({ state: 'active', is_trial: false });
});

test('subscribe.updated: a store that gives more time', async () => {
  const purchase = await claimed('google-play');
  const { expires_at: before } = await rowOf(purchase);
  marketOf().extend(purchase.id, 10);
  await until(async () => (await typesOf()).includes('subscribe.updated'));
  const { expires_at: after } = await rowOf(purchase);
  expect(Number(after) - Number(before)).toBe(10 * 24 * hourMs);
});

test('access.revoked: a purchase whose place another takes loses its access', async () => {
  const item = await createItem(app, shop.merchant);
  const fee = await createFee(app, shop.merchant, item.id);
  const old = await claimed('google-play');
  const replacesId = stores.googlePlay.purchaseToken(old);
  await claimed('google-play', { productId: `${item.id}_${fee.id}`, replacesId });
  const { replaced_at: replacedAt, next_look_at: nextLookAt } = await rowOf(old);
  expect(replacedAt).not.toBeNull();
  expect(nextLookAt).toBeNull();
  expect(await mayWatch(shop, shop.consumer)).toBe(false);
  expect(await mayWatch({ ...shop, item }, shop.consumer)).toBe(true);
});

test('an answer that is older than what is known changes nothing', async () => {
  const purchase = await claimed('apple');
  const { token } = await rowOf(purchase);
  await isAtRest(token);
  await app.pool.query(`UPDATE store_purchases SET as_of = as_of + interval '1 day' WHERE token = $1`, [token]);
  marketOf().setAutoRenew(purchase.id, false);
  await stores.simulator.settled();
  await isAtRest(token);
  expect((await rowOf(purchase)).auto_renew).toBe(true);
});

test('renewals are found without a notification, a minute after they are due', async () => {
  stores.simulator.setDelivery('never');
  const purchase = await claimed('apple', { length: { quantity: 1, period: 'day' } });
  const { token } = await rowOf(purchase);
  for (const count of [2, 3, 4]) {
    await isAtRest(token);
    await later(24 * hourMs + 100_000);
    const paid = 'SELECT 1 FROM store_payments WHERE account_id = $1';
    await until(async () => (await app.pool.query(paid, [shop.consumer.id])).rows.length === count);
    expect(await mayWatch(shop, shop.consumer)).toBe(true);
  }
  expect((await typesOf()).slice(begun.length)).toEqual([
    'subscribe.renewed',
    'subscribe.renewed',
    'subscribe.renewed',
  ]);
});

test('access.revoked: while its store is away a purchase runs out, and comes back with it', async () => {
  stores.simulator.setDelivery('never');
  const purchase = await claimed('roku', { length: { quantity: 1, period: 'day' } });
  await isAtRest((await rowOf(purchase)).token);
  stores.simulator.setHealth('failing');
  await later(30 * hourMs);
  await until(async () => (await typesOf()).includes('access.revoked'));
  expect(await mayWatch(shop, shop.consumer)).toBe(false);
  stores.simulator.setHealth('well');
  await until(async () => (await typesOf()).filter((type) => type === 'access.granted').length === 2);
  expect(await mayWatch(shop, shop.consumer)).toBe(true);
  expect((await rowOf(purchase)).state).toBe('active');
});

test('Google is told again and again that the buyer is served, until it has heard', async () => {
  const purchase = await claimed('google-play');
  await until(() => marketOf().get(purchase.id).acknowledgedAt !== null);
  const { token } = await rowOf(purchase);
  await isAtRest(token);
  const [sending] = await capture(stores, () => marketOf().setAutoRenew(purchase.id, false));
  if (!sending) throw new Error('the store tells nothing');
  marketOf().get(purchase.id).acknowledgedAt = null;
  stores.simulator.setHealth('down');
  await push(app, sending);
  await until(async () => (await temporal.historyOf(`store-purchase-${token}`)).split('TIMER_STARTED').length > 2);
  // Three days are nearly over, so the metric must report it.
  await app.pool.query(
    "UPDATE store_purchases SET needs_acknowledgement = true, purchased_at = now() - interval '61 hours' WHERE token = $1",
    [token],
  );
  expect(await readMetric('paywall_store_purchases_unacknowledged')).toBeGreaterThanOrEqual(1);
  stores.simulator.setHealth('well');
  await push(app, { ...sending, body: sending.body.replace(/"messageId":"[^"]*"/, `"messageId":"${randomUUID()}"`) });
  await until(() => marketOf().get(purchase.id).acknowledgedAt !== null);
  await isAtRest(token);
  expect(await readMetric('paywall_store_purchases_unacknowledged')).toBe(0);
});

test('a notification years later wakes a purchase whose run has ended', async () => {
  const purchase = await claimed('apple');
  marketOf().setAutoRenew(purchase.id, false);
  await becomes(purchase, { auto_renew: false });
  const { token } = await rowOf(purchase);
  for (let months = 0; months < 4; months += 1) {
    await isAtRest(token);
    await later(32 * 24 * hourMs);
  }
  const run = await temporal.begun(`store-purchase-${token}`);
  await until(async () => (await run.describe()).status.name === 'COMPLETED');
  expect((await rowOf(purchase)).state).toBe('expired');
  marketOf().resume(purchase.id);
  await becomes(purchase, { state: 'active' });
  expect(await mayWatch(shop, shop.consumer)).toBe(true);
});

test('account.erased: a purchase of an account that is gone opens nothing any more', async () => {
  const purchase = await claimed('amazon');
  const { token } = await rowOf(purchase);
  await isAtRest(token);
  await requestErasure(app, shop.consumer);
  await isErased(app, shop.consumer.id);
  // Its store renews it nevertheless, and notifies us.
  await later(32 * 24 * hourMs);
  await stores.simulator.settled();
  await isAtRest(token);
  const { rows } = await app.pool.query(
    'SELECT 1 FROM accesses WHERE account_id = $1 AND revoked_at IS NULL AND expires_at > now()',
    [shop.consumer.id],
  );
  expect(rows).toEqual([]);
  expect((await rowOf(purchase)).next_look_at).toBeNull();
  expect((await eventsOf(shop, shop.consumer)).map(({ type }) => type)).not.toContain('subscribe.renewed');
});

test('no receipt and no token of a store is in any history', async () => {
  const purchase = buy(shop, 'google-play', { accountUuid: randomUUID() });
  const reply = await present(shop, purchase);
  await settled(shop, reply);
  const { token } = await rowOf(purchase);
  await isAtRest(token);
  const histories = await Promise.all(
    [`external-payment-${reply.body.external_payment_id}-1`, `store-purchase-${token}`].map((id) =>
      temporal.historyOf(id),
    ),
  );
  for (const history of histories) {
    const decoded = [...history.matchAll(/"data": ?"([^"]*)"/g)].map(([, data = '']) =>
      Buffer.from(data, 'base64').toString('utf8'),
    );
    const text = `${history}\n${decoded.join('\n')}`;
    expect(text).not.toContain(stores.googlePlay.purchaseToken(purchase));
    expect(text).not.toContain(purchase.id);
  }
});
