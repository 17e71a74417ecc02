import { type StoreName } from '../../src/adapters/appStores/store';
import { type SimulatedPurchase } from '../../scripts/storeSimulator/purchase';
import { type Sending } from '../../scripts/storeSimulator/face';
import { call } from '../support/client';
import { createMerchant } from '../support/factories';
import { type TestApp } from '../support/startApp';
import {
  buy,
  capture,
  createNotifiedShop,
  eventsOf,
  keptNotifications,
  mayWatch,
  moveClock,
  present,
  push,
  readHistories,
  setStore,
  settled,
  startStoreApp,
  type Stores,
  type StoreShop,
} from '../support/stores';
import { type TemporalClient } from '../support/temporalClient';
import { until } from '../support/until';

/** Refunds of stores for earlier periods. */

let stores: Stores;
let app: TestApp;
let stop: () => Promise<void>;
let shop: StoreShop;
let temporal: TemporalClient;

beforeAll(async () => {
  ({ app, stores, temporal, stop } = await startStoreApp());
});
afterAll(() => stop());
beforeEach(async () => {
  shop = await createNotifiedShop(app, stores);
});

const dayMs = 86_400_000;
const marketOf = () => stores.simulator.market;
const later = (days: number) => moveClock(shop, new Date(marketOf().now.getTime() + days * dayMs));

/** Whether each payment was refunded, oldest first. */
const refunds = async () => {
  const text = `SELECT refunded_at IS NOT NULL AS "isRefunded" FROM store_payments WHERE account_id = $1 ORDER BY id`;
  const { rows } = await app.pool.query<{ isRefunded: boolean }>(text, [shop.consumer.id]);
  return rows.map(({ isRefunded }) => isRefunded);
};

const become = (...expected: boolean[]) =>
  until(async () => JSON.stringify(await refunds()) === JSON.stringify(expected));

async function twoPeriods(store: StoreName): Promise<SimulatedPurchase> {
  const purchase = buy(shop, store, { amountMinor: 999 });
  expect((await settled(shop, await present(shop, purchase))).state).toBe('succeeded');
  await later(31.5);
  await become(false, false);
  return purchase;
}

const refundEvents = async () =>
  (await eventsOf(shop, shop.consumer)).filter(({ type }) => type === 'external.payment.refund.success');

test.each(['apple', 'google-play', 'roku'] as const)(
  'external.payment.refund.success: %s refunds the first period, and the second continues',
  async (store) => {
    const purchase = await twoPeriods(store);
    marketOf().refundPeriod(purchase.id, 0);
    await become(true, false);
    expect(await mayWatch(shop, shop.consumer)).toBe(true);
    expect(await refundEvents()).toMatchObject([{ resource: { status: 'refunded', amount: '9.99' } }]);
    const { body } = await call<{ collection: { type: string; amount: number }[] }>(
      app,
      'GET',
      '/reporting/transactions?type=refund',
      undefined,
      shop.merchant,
    );
    expect(body.collection).toMatchObject([{ type: 'refund', amount: -9.99 }]);
    await later(31);
    await become(true, false, false);
    expect(await refundEvents()).toHaveLength(1);
  },
);

test('paid: Apple reverses the refund of an earlier period', async () => {
  const purchase = await twoPeriods('apple');
  marketOf().refundPeriod(purchase.id, 0);
  await become(true, false);
  // Apple's own time orders its messages: an answer that is still in transit is older than the reversal.
  await later(1 / 24);
  marketOf().reversePeriodRefund(purchase.id, 0);
  await become(false, false);
});

test('external.payment.refund.success: the next look finds a refund whose notification was lost', async () => {
  const purchase = await twoPeriods('apple');
  stores.simulator.setDelivery('never');
  marketOf().refundPeriod(purchase.id, 0);
  await later(2);
  await become(true, false);
  expect(await refundEvents()).toHaveLength(1);
});

test('external.payment.refund.success: two refunds are published once each, and the second ends access', async () => {
  const purchase = await twoPeriods('apple');
  marketOf().refundPeriod(purchase.id, 0);
  marketOf().refund(purchase.id);
  await become(true, true);
  await until(async () => !(await mayWatch(shop, shop.consumer)));
  expect(await refundEvents()).toHaveLength(2);
});

describe('the histories of the stores', () => {
  test('after downtime, each notification that Apple could not deliver is read once', async () => {
    const purchase = buy(shop, 'apple');
    await settled(shop, await present(shop, purchase));
    await stores.simulator.settled();
    stores.simulator.setDelivery('never');
    marketOf().setAutoRenew(purchase.id, false);
    marketOf().setAutoRenew(purchase.id, true);
    marketOf().setAutoRenew(purchase.id, false);
    const before = (await keptNotifications(shop)).length;
    expect((await readHistories(temporal)).failed).toEqual([]);
    expect(await keptNotifications(shop)).toHaveLength(before + 3);
    const text = 'SELECT 1 FROM store_purchases WHERE account_id = $1 AND NOT auto_renew';
    await until(async () => (await app.pool.query(text, [shop.consumer.id])).rows.length === 1);
    await readHistories(temporal);
    expect(await keptNotifications(shop)).toHaveLength(before + 3);
  });

  test('while a missed notification cannot be kept, the app counts as not read', async () => {
    const purchase = buy(shop, 'apple');
    await settled(shop, await present(shop, purchase));
    await stores.simulator.settled();
    stores.simulator.setDelivery('never');
    marketOf().setAutoRenew(purchase.id, false);
    const before = (await keptNotifications(shop)).length;
    await app.pool.query(`CREATE FUNCTION refuse_row() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'refused'; END $$`);
    await app.pool.query('CREATE TRIGGER refuse BEFORE INSERT ON store_notifications EXECUTE FUNCTION refuse_row()');
    expect((await readHistories(temporal)).failed).toContain(`apple ${shop.apps.apple.bundleId}`);
    await app.pool.query('DROP FUNCTION refuse_row CASCADE');
    expect((await readHistories(temporal)).failed).toEqual([]);
    expect(await keptNotifications(shop)).toHaveLength(before + 1);
  });

  test('Google’s list of voided purchases is read once per app and round, not per purchase', async () => {
    const first = await twoPeriods('google-play');
    const second = buy(shop, 'google-play');
    await settled(shop, await present(shop, second));
    stores.simulator.setDelivery('never');
    marketOf().refundPeriod(first.id, 0);
    marketOf().refund(second.id);
    const asked: string[] = [];
    stores.simulator.onRequest(({ path }) => {
      if (path.includes(`${shop.apps['google-play'].packageName}/purchases/voidedpurchases`)) asked.push(path);
      return undefined;
    });
    await readHistories(temporal);
    await become(true, false, true);
    expect(await refundEvents()).toHaveLength(2);
    expect(asked).toHaveLength(1);
    expect(await mayWatch(shop, shop.consumer)).toBe(true);
  });

  test('after an outage of a store, the next round begins where the last successful one ended', async () => {
    const purchase = await twoPeriods('google-play');
    stores.simulator.setDelivery('never');
    stores.simulator.setHealth('failing');
    marketOf().refundPeriod(purchase.id, 0);
    const { packageName } = shop.apps['google-play'];
    expect((await readHistories(temporal)).failed).toContain(`google-play ${packageName}`);
    stores.simulator.setHealth('well');
    await readHistories(temporal);
    await become(true, false);
  });
});

/** Another merchant names the shop's app, with a push account of its own. Sends what the store sent, signed by this account. */
async function nameApp(): Promise<(sending: Sending) => Sending> {
  const own = { pushServiceAccount: 'push@mallory.example', pushAudience: 'https://mallory.example' };
  const apps = { ...shop.apps, 'google-play': { ...shop.apps['google-play'], ...own } };
  const named = await setStore(app, await createMerchant(app), apps, 'google-play');
  if (named.status !== 200) throw new Error(JSON.stringify(named.body));
  const issuer = { iss: 'https://accounts.google.com', email_verified: true };
  const claims = { ...issuer, email: own.pushServiceAccount, aud: own.pushAudience };
  const Authorization = `Bearer ${stores.googlePlay.signPush(claims)}`;
  return (sending) => ({ ...sending, headers: { ...sending.headers, Authorization } });
}

test('paid: another merchant that names the app refunds no payment, and uses no notification up', async () => {
  const purchase = await twoPeriods('google-play');
  const asStranger = await nameApp();
  const refund = await capture(stores, () => marketOf().refundPeriod(purchase.id, 0));
  const change = await capture(stores, () => marketOf().setAutoRenew(purchase.id, false));
  const before = (await keptNotifications(shop)).length;
  for (const sending of [...refund, ...change]) expect((await push(app, asStranger(sending))).status).toBe(200);
  for (const sending of change) expect((await push(app, sending)).status).toBe(200);
  const text = 'SELECT FROM store_purchases WHERE account_id = $1 AND NOT auto_renew';
  await until(async () => (await app.pool.query(text, [shop.consumer.id])).rowCount === 1);
  expect(await refunds()).toEqual([false, false]);
  for (const sending of refund) expect((await push(app, sending)).status).toBe(200);
  await become(true, false);
  expect(await keptNotifications(shop)).toHaveLength(before + refund.length + change.length);
});
