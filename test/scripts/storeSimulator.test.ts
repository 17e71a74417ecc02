import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { storeNames } from '../../src/adapters/appStores/store';
import { startStoreProgram, type RunningStores } from '../../scripts/storeSimulator/program';
import { call } from '../support/client';
import { createShop, type Shop } from '../support/factories';
import { controlOf } from '../support/simulatorControl';
import { startApp, type TestApp } from '../support/startApp';
import { settled, type Accepted } from '../support/stores';
import { until } from '../support/until';

/** `npm run store-simulator` as a developer uses it: by its own calls, beside the paywall's. */

let stores: RunningStores;
let app: TestApp;
let shop: Shop;

beforeAll(async () => {
  const rootsFile = join(process.env['TEST_DATA_DIR'] ?? '', `apple-root-${randomUUID()}.pem`);
  stores = await startStoreProgram({ port: 0, rootsFile, paywall: '' });
  app = await startApp({ ...stores.environment, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') });
  stores.simulator.setTarget(app.address);
  await app.startWorker();
});
afterAll(async () => {
  await app.stop();
  await stores.stop();
});
beforeEach(async () => {
  shop = await createShop(app);
  // All stores share one clock.
  const { now } = (await (await fetch(`${stores.simulator.url}/simulator/clock`)).json()) as { now: string };
  await call(app, 'POST', '/test-clock', { to: now }, shop.merchant);
});

const control = () => controlOf(stores.simulator.url);

async function buyIn(store: string) {
  const { app: appName, fields } = await control().register(store);
  expect((await call(app, 'PUT', `/stores/${store}`, fields, shop.merchant)).status).toBe(200);
  const product = `${shop.item.id}_${shop.fee.id}`;
  return control().buy({ store, app: appName, product_id: product });
}

function claim(store: string, { receipt }: { receipt: Record<string, string> }) {
  const body = { ...receipt, access_fee_id: shop.fee.id };
  return call<Accepted>(app, 'POST', `/external-payments/${store}/validate`, body, shop.consumer);
}

const mayWatch = async () =>
  (await call(app, 'GET', `/items/${shop.item.id}/access`, undefined, shop.consumer)).status === 200;

test.each(storeNames)('sells in %s, follows the test clock, and gives money back', async (store) => {
  const purchase = await buyIn(store);
  expect((await settled({ app }, await claim(store, purchase))).state).toBe('succeeded');
  expect(await mayWatch()).toBe(true);

  await control().post('follow', { token: shop.merchant.token });
  await call(app, 'POST', '/test-clock', { advance: 32 * 86_400 }, shop.merchant);
  const { rows } = await until(async () => {
    const text = 'SELECT id FROM store_payments WHERE account_id = $1';
    const found = await app.pool.query(text, [shop.consumer.id]);
    return found.rows.length === 2 && found;
  });
  expect(rows).toHaveLength(2);

  await control().happen(purchase.id, 'refund');
  await until(async () => !(await mayWatch()));
});

test('refunds one period and reverses the refund, while the purchase goes on', async () => {
  const purchase = await buyIn('apple');
  const refunded = await control().happen(purchase.id, 'refund-period', { number: 0 });
  expect(refunded.body).toMatchObject({
    phase: 'active',
    transactions: [{ refundedAt: expect.any(String) as unknown }],
  });
  const reversed = await control().happen(purchase.id, 'reverse-period-refund', { number: 0 });
  expect(reversed.body).toMatchObject({ phase: 'active', transactions: [{ refundedAt: null }] });
  expect(await control().happen(purchase.id, 'refund-period', { number: 1 })).toMatchObject({ status: 422 });
});

test('a customer of the App Store requests a refund, and Apple declines it', async () => {
  const purchase = await buyIn('apple');
  await stores.simulator.settled();
  await control().happen(purchase.id, 'request-refund');
  await control().happen(purchase.id, 'decline-refund');
  await stores.simulator.settled();
  const { rows } = await app.pool.query<{ type: string }>(
    'SELECT type FROM store_notifications WHERE merchant_id = $1 ORDER BY told_at, type',
    [shop.merchant.id],
  );
  expect(rows.map(({ type }) => type)).toEqual(expect.arrayContaining(['CONSUMPTION_REQUEST', 'REFUND_DECLINED']));
});

test('whoever asks just after a clock was moved is answered as of its new time', async () => {
  await control().post('follow', { token: shop.merchant.token });
  const { body } = await call<{ now: number }>(app, 'POST', '/test-clock', { advance: 86_400 }, shop.merchant);
  const { now } = (await (await fetch(`${stores.simulator.url}/simulator/clock`)).json()) as { now: string };
  expect(Date.parse(now)).toBeGreaterThanOrEqual((body.now - 1) * 1000);
});

test('a store that is down, by order, answers nobody but who orders', async () => {
  const purchase = await buyIn('amazon');
  await control().post('health', { health: 'down' });
  const reply = await claim('amazon', purchase);
  const answer = () => fetch(`${stores.simulator.url}/version/1.0/verifyReceiptId`).catch(() => 'none');
  expect(await answer()).toBe('none');
  expect(await mayWatch()).toBe(false);
  await control().post('health', { health: 'well' });
  expect((await settled({ app }, reply)).state).toBe('succeeded');
});

test('notifications are kept by order, and sent twice and in the wrong order', async () => {
  const purchase = await buyIn('roku');
  expect((await settled({ app }, await claim('roku', purchase))).state).toBe('succeeded');
  await control().post('delivery', { delivery: 'kept' });
  await control().happen(purchase.id, 'cancel');
  await control().happen(purchase.id, 'restore');
  await control().happen(purchase.id, 'cancel');
  stores.simulator.answers.length = 0;
  await control().post('kept', { order: 'twice and reversed' });
  await control().post('delivery', { delivery: 'at once' });
  await until(async () => {
    const text = 'SELECT auto_renew FROM store_purchases WHERE account_id = $1';
    const [row] = (await app.pool.query<{ auto_renew: boolean }>(text, [shop.consumer.id])).rows;
    return row?.auto_renew === false;
  });
  await stores.simulator.settled();
  expect(stores.simulator.answers.map(({ status }) => status)).toEqual(Array(4).fill(200));
});

test('what it does not understand it refuses, and says what it knows', async () => {
  expect(await control().post('nonsense')).toMatchObject({ status: 404 });
  expect(await control().post('health', { health: 'tired' })).toMatchObject({ status: 422 });
  expect(await control().post('purchases/unknown/refund')).toMatchObject({ status: 422 });
});
