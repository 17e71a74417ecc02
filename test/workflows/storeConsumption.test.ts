import { type SimulatedPurchase } from '../../scripts/storeSimulator/purchase';
import { call } from '../support/client';
import { type TestApp } from '../support/startApp';
import {
  buy,
  capture,
  createQuietShop,
  moveClock,
  moveToPresent,
  present,
  push,
  readHistories,
  settled,
  startStoreApp,
  type Stores,
  type StoreShop,
} from '../support/stores';
import { type TemporalClient } from '../support/temporalClient';
import { until } from '../support/until';

/** Apple asks how a payment was used before it decides on a refund. The service answers from its own data. */

let stores: Stores;
let app: TestApp;
let stop: () => Promise<void>;
let shop: StoreShop;
let temporal: TemporalClient;
/** Answers of the store to the next requests, before it accepts one. */
let hindrances: { status: number; body: object }[] = [];
let sent = 0;

beforeAll(async () => {
  ({ app, stores, temporal, stop } = await startStoreApp());
  stores.simulator.onRequest(({ path }) => {
    if (!path.includes('/transactions/consumption/')) return undefined;
    sent += 1;
    return hindrances.shift();
  });
});
afterAll(() => stop());
beforeEach(async () => {
  shop = await createQuietShop(app, stores);
  await moveToPresent(shop);
  hindrances = [];
  sent = 0;
  stores.apple.consumptions.length = 0;
});

const market = () => stores.simulator.market;
const dayMs = 86_400_000;
const later = (days: number) => moveClock(shop, new Date(market().now.getTime() + days * dayMs));

const consent = async () => {
  const reply = await call(app, 'PUT', '/stores/settings', { consumption_consent: true }, shop.merchant);
  expect(reply).toMatchObject({ status: 200, body: { consumption_consent: true } });
};

async function bought(order: Parameters<typeof buy>[2] = {}): Promise<SimulatedPurchase> {
  const purchase = buy(shop, 'apple', order);
  expect((await settled(shop, await present(shop, purchase))).state).toBe('succeeded');
  return purchase;
}

const ask = async (purchase: SimulatedPurchase, number?: number) => {
  const [sending] = await capture(stores, () => market().requestRefund(purchase.id, number));
  if (!sending) throw new Error('Apple asks nothing');
  expect((await push(app, sending)).status).toBe(200);
  return sending;
};

interface RequestRow {
  state: string;
  state_reason: string;
  refund_reason: string;
}

const requests = async () => {
  const text = `SELECT c.state, c.state_reason, c.refund_reason FROM store_consumption_requests c
    JOIN store_notifications n USING (store, notification_id) WHERE n.merchant_id = $1`;
  return (await app.pool.query<RequestRow>(text, [shop.merchant.id])).rows;
};

const become = (...expected: string[]) =>
  until(async () => JSON.stringify((await requests()).map(({ state }) => state)) === JSON.stringify(expected));

test('sent: the delivery status and the share of the period that has passed', async () => {
  await consent();
  const purchase = await bought({ length: { quantity: 30, period: 'day' } });
  await later(15);
  await ask(purchase);
  await become('sent');
  const { transactionId, consumptionPercentage, ...told } = stores.apple.consumptions[0] ?? {};
  expect(transactionId).toBe(stores.apple.transactionId(purchase));
  expect(consumptionPercentage).toBeCloseTo(50_000, -2);
  expect(told).toEqual({ customerConsented: true, deliveryStatus: 'DELIVERED', sampleContentProvided: false });
  expect(await requests()).toMatchObject([{ refund_reason: 'UNINTENDED_PURCHASE' }]);
});

test('sent: a trial came before, and the requested period is over', async () => {
  await consent();
  const purchase = await bought({ trial: { quantity: 1, period: 'week' } });
  await later(8);
  await until(async () => {
    const text = 'SELECT 1 FROM store_payments WHERE account_id = $1';
    return (await app.pool.query(text, [shop.consumer.id])).rows.length === 2;
  });
  await ask(purchase, 0);
  await become('sent');
  expect(stores.apple.consumptions).toMatchObject([{ sampleContentProvided: true, consumptionPercentage: 100_000 }]);
});

test('not_sent: the merchant has not confirmed the consent of its customers', async () => {
  await ask(await bought());
  await become('not_sent');
  expect(await requests()).toMatchObject([{ state_reason: 'no_consent' }]);
  expect(sent).toBe(0);
});

test('sent: once, even if the same notification arrives five times', async () => {
  await consent();
  const sending = await ask(await bought());
  await become('sent');
  await Promise.all(Array.from({ length: 4 }, () => push(app, sending)));
  await readHistories(temporal);
  await become('sent');
  expect(sent).toBe(1);
});

test('sent: Apple is down at first, and then limits requests', async () => {
  await consent();
  hindrances = [503, 500, 429].map((status) => ({ status, body: {} }));
  await ask(await bought());
  await become('sent');
  expect(sent).toBe(4);
  expect(stores.apple.consumptions).toHaveLength(1);
});

test('refused: Apple rejects the answer, and it is not sent again', async () => {
  await consent();
  hindrances = [{ status: 400, body: { errorCode: 4000036, errorMessage: 'Invalid delivery status.' } }];
  await ask(await bought());
  await become('refused');
  expect((await requests())[0]?.state_reason).toBe('400 4000036 Invalid delivery status.');
  await readHistories(temporal);
  expect(sent).toBe(1);
});

test('sent: the purchase is presented after the request', async () => {
  await consent();
  const purchase = buy(shop, 'apple');
  await ask(purchase);
  await readHistories(temporal);
  await become('pending');
  await settled(shop, await present(shop, purchase));
  await become('sent');
});

test.each([
  ['of a purchase that an account has', true, 'too_late'],
  ['of a purchase that nobody has presented', false, 'unclaimed'],
])('not_sent: the twelve hours are over, %s', async (_what, isPresented, reason) => {
  await consent();
  hindrances = Array.from({ length: 100 }, () => ({ status: 503, body: {} }));
  const purchase = isPresented ? await bought() : buy(shop, 'apple');
  await ask(purchase);
  await app.pool.query(
    `UPDATE store_consumption_requests c SET answer_by = now() FROM store_notifications n
     WHERE n.merchant_id = $1 AND n.notification_id = c.notification_id`,
    [shop.merchant.id],
  );
  await readHistories(temporal);
  await become('not_sent');
  expect(await requests()).toMatchObject([{ state_reason: reason }]);
  expect(stores.apple.consumptions).toEqual([]);
});
