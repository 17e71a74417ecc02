import { randomUUID } from 'node:crypto';
import { type startWorker as startWorkerType } from '../../workers/worker';
import { bundleTimeLapse } from '../support/bundles';
import { startProgram } from '../support/childProcess';
import { adoptionSteps, pointsAround, storeSteps } from '../support/crashPoints';
import { startApp, type TestApp } from '../support/startApp';
import {
  buy,
  capture,
  createStoreShop,
  eventsOf,
  mayWatch,
  present,
  push,
  settled,
  startStores,
  type Stores,
} from '../support/stores';
import { installQuietRuntime } from '../support/quietRuntime';
import { until } from '../support/until';
import { workerSettings } from '../support/workerSettings';

/** The worker is killed around each step of a store purchase, and another one continues. Each effect happens once. */

let stores: Stores;
let app: TestApp;
let startWorker: typeof startWorkerType;
let activities: object;
let setTaskQueue: (name: string) => void;

beforeAll(async () => {
  stores = await startStores();
  app = await startApp(stores.environment);
  ({ startWorker } = await import('../../workers/worker.js'));
  activities = (await import('../../activities/index.js')).createActivities();
  const { config } = await import('../../src/config.js');
  setTaskQueue = (name) => void (config.TEMPORAL_TASK_QUEUE = name);
  installQuietRuntime();
});
afterAll(async () => {
  await app.stop();
  await stores.simulator.stop();
});

const points = pointsAround(storeSteps);

const counted = `SELECT
  (SELECT count(*)::int FROM store_purchases WHERE account_id = $1) AS purchases,
  (SELECT count(*)::int FROM store_payments WHERE account_id = $1) AS payments,
  (SELECT count(*)::int FROM accesses WHERE account_id = $1) AS accesses,
  (SELECT count(*)::int FROM external_payments WHERE account_id = $1 AND sealed_claim IS NULL) AS claims`;

test.each(points)('%s: kill -9, and it is bought once, told once, and acknowledged', async (point) => {
  const taskQueue = `crash-${randomUUID()}`;
  setTaskQueue(taskQueue);
  const child = await startProgram('crashingWorker', {
    TEMPORAL_TASK_QUEUE: taskQueue,
    DATABASE_POOL: '2',
    CRASH_AT: point,
  });
  const shop = await createStoreShop(app, stores);
  const purchase = buy(shop, 'google-play');
  const reply = await present(shop, purchase);
  expect(await child.ended).toBe('SIGKILL');

  const worker = await startWorker({ ...workerSettings(), taskQueue, activities });
  expect((await settled(shop, reply)).state).toBe('succeeded');
  await until(() => stores.simulator.market.get(purchase.id).acknowledgedAt !== null);
  const text = 'SELECT 1 FROM store_purchases WHERE account_id = $1 AND acknowledged_at IS NOT NULL';
  await until(async () => (await app.pool.query(text, [shop.consumer.id])).rows.length === 1);
  await worker.stop();
  expect(await mayWatch(shop, shop.consumer)).toBe(true);
  const { rows } = await app.pool.query(counted, [shop.consumer.id]);
  expect(rows).toEqual([{ purchases: 1, payments: 1, accesses: 1, claims: 1 }]);
  expect((await eventsOf(shop, shop.consumer)).map(({ type }) => type)).toEqual([
    'access.granted',
    'external.payment.success',
    'external.subscribe.success',
    'subscribe.success',
  ]);
});

const adoptionPoints = pointsAround(adoptionSteps);

test.each(adoptionPoints)('%s: kill -9, and who the store names is served once', async (point) => {
  const taskQueue = `crash-${randomUUID()}`;
  setTaskQueue(taskQueue);
  // The ten minutes that an app is waited for pass at once.
  const workflowBundle = await bundleTimeLapse();
  const child = await startProgram('crashingWorker', {
    TEMPORAL_TASK_QUEUE: taskQueue,
    DATABASE_POOL: '2',
    CRASH_AT: point,
    WORKFLOW_BUNDLE: workflowBundle,
  });
  const shop = await createStoreShop(app, stores);
  const [sending] = await capture(stores, () => buy(shop, 'google-play', { accountUuid: shop.consumer.uuid }));
  if (!sending) throw new Error('the store tells nothing');
  await push(app, sending);
  expect(await child.ended).toBe('SIGKILL');

  const worker = await startWorker({ ...workerSettings(), taskQueue, activities, workflowBundle });
  const text = 'SELECT 1 FROM store_purchases WHERE account_id = $1 AND acknowledged_at IS NOT NULL';
  await until(async () => (await app.pool.query(text, [shop.consumer.id])).rows.length === 1);
  await worker.stop();
  expect(await mayWatch(shop, shop.consumer)).toBe(true);
  const { rows } = await app.pool.query(counted, [shop.consumer.id]);
  expect(rows).toEqual([{ purchases: 1, payments: 1, accesses: 1, claims: 0 }]);
  expect((await eventsOf(shop, shop.consumer)).map(({ type }) => type)).toEqual([
    'access.granted',
    'external.payment.success',
    'external.subscribe.success',
    'subscribe.success',
  ]);
});
