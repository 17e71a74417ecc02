import { createHash } from 'node:crypto';
import { type RunningWorker } from '../../workers/worker';
import { bundleTimeLapse } from '../support/bundles';
import { startApp, type TestApp } from '../support/startApp';
import {
  buy,
  capture,
  createStoreShop,
  moveClock,
  present,
  push,
  settled,
  startStores,
  type Stores,
  type StoreShop,
} from '../support/stores';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { until } from '../support/until';
import { unlapse, writeHistory } from './histories';

/** The histories of purchases in stores: for `npm run replay:record`. */

let stores: Stores;
let app: TestApp;
let temporal: TemporalClient;
let worker: RunningWorker;
let shop: StoreShop;

beforeAll(async () => {
  stores = await startStores();
  app = await startApp(stores.environment);
  temporal = await connectTemporal();
  worker = await app.startWorker();
});
beforeEach(async () => {
  shop = await createStoreShop(app, stores);
  stores.simulator.setHealth('well');
});
afterAll(async () => {
  await temporal.close();
  await app.stop();
  await stores.simulator.stop();
});

/** The history as soon as it ends so. */
const historyWhen = (workflowId: string, isSettled: RegExp) =>
  until(async () => {
    const history = await temporal.historyOf(workflowId);
    const { events } = JSON.parse(history) as { events: { eventType: string }[] };
    return isSettled.test(events.at(-1)?.eventType ?? '') && history;
  });

const purchaseId = async () => {
  const text = 'SELECT token FROM store_purchases WHERE account_id = $1';
  const { rows } = await app.pool.query<{ token: string }>(text, [shop.consumer.id]);
  return `store-purchase-${rows[0]?.token}`;
};

async function claim(fields: Record<string, unknown> = {}) {
  const purchase = buy(shop, 'google-play');
  const reply = await present(shop, purchase, fields);
  return { purchase, reply, workflowId: `external-payment-${reply.body.external_payment_id}-1` };
}

test('a claim that opens its item', async () => {
  const { reply, workflowId } = await claim();
  await settled(shop, reply);
  writeHistory('store-claim-succeeded', await historyWhen(workflowId, /EXECUTION_COMPLETED/));
});

test('a claim that opens nothing', async () => {
  const { reply, workflowId } = await claim({ receipt: 'nothing' });
  await settled(shop, reply);
  writeHistory('store-claim-failed', await historyWhen(workflowId, /EXECUTION_COMPLETED/));
});

test('a purchase that is acknowledged, and waits for its renewal', async () => {
  const { reply } = await claim();
  await settled(shop, reply);
  writeHistory('store-purchase-waits', await historyWhen(await purchaseId(), /TIMER_STARTED/));
});

test('a purchase that is told of, looked at, given back and over', async () => {
  const { purchase, reply } = await claim();
  await settled(shop, reply);
  const workflowId = await purchaseId();
  await historyWhen(workflowId, /TIMER_STARTED/);
  for (const sending of await capture(stores, () => stores.simulator.market.refund(purchase.id)))
    await push(app, sending);
  const text = `SELECT 1 FROM store_purchases WHERE account_id = $1 AND state = 'revoked'`;
  await until(async () => (await app.pool.query(text, [shop.consumer.id])).rows.length === 1);
  await historyWhen(workflowId, /TIMER_STARTED/);
  await moveClock(shop, new Date(stores.simulator.market.now.getTime() + 70 * 86_400_000));
  writeHistory('store-purchase-over', await historyWhen(workflowId, /EXECUTION_COMPLETED/));
});

test('a claim that waits for a store that is away', async () => {
  await worker.stop();
  process.env['WORKFLOW_BUNDLE'] = await bundleTimeLapse();
  worker = await app.startWorker();
  stores.simulator.setHealth('down');
  const { reply, workflowId } = await claim();
  await until(async () => (await temporal.historyOf(workflowId)).split('TIMER_FIRED').length > 5);
  stores.simulator.setHealth('well');
  await settled(shop, reply);
  writeHistory('store-claim-waits-for-its-store', unlapse(await historyWhen(workflowId, /EXECUTION_COMPLETED/)));
});

test('histories of the stores', async () => {
  const workflowId = `store-histories-${shop.merchant.id}`;
  const taskQueue = process.env['TEMPORAL_TASK_QUEUE'] ?? '';
  await temporal.client.workflow.execute('storeHistories', { taskQueue, workflowId });
  writeHistory('store-histories-read', await temporal.historyOf(workflowId));
});

test('a purchase that no app presents', async () => {
  const lapsed = await bundleTimeLapse();
  await worker.stop();
  process.env['WORKFLOW_BUNDLE'] = lapsed;
  worker = await app.startWorker();
  const order = { accountUuid: shop.consumer.uuid };
  const [sending] = await capture(stores, () => buy(shop, 'google-play', order));
  if (!sending) throw new Error('the store tells nothing');
  await push(app, sending);
  const { rows } = await app.pool.query<{ notification_id: string }>(
    'SELECT notification_id FROM store_notifications WHERE merchant_id = $1',
    [shop.merchant.id],
  );
  const name = createHash('sha256')
    .update(rows[0]?.notification_id ?? '')
    .digest('hex')
    .slice(0, 32);
  const history = await historyWhen(`unclaimed-purchase-google-play-${name}`, /EXECUTION_COMPLETED/);
  writeHistory('store-purchase-unclaimed', unlapse(history));
});
