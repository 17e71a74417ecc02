import { randomUUID } from 'node:crypto';
import { startProgram } from '../support/childProcess';
import { type CrashPoint, demoDataSteps } from '../support/crashPoints';
import { askForDemoData, reachesStep } from '../support/demoData';
import { createMerchant } from '../support/factories';
import { journalFaults } from '../support/journal';
import { installQuietRuntime } from '../support/quietRuntime';
import { startApp, type TestApp } from '../support/startApp';
import { workerSettings } from '../support/workerSettings';

/** The worker is killed around a step of demo data, and another one continues. Nothing is made twice. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  installQuietRuntime();
});
afterAll(() => app.stop());

const points = demoDataSteps.flatMap((step): CrashPoint[] => [`${step}:before`, `${step}:after`]);

test.each(points)('killed at %s, each item, customer and purchase is there once', async (point) => {
  const { config } = await import('../../src/config.js');
  const taskQueue = `crash-${randomUUID()}`;
  config.TEMPORAL_TASK_QUEUE = taskQueue;
  const child = await startProgram('crashingWorker', {
    TEMPORAL_TASK_QUEUE: taskQueue,
    WORKFLOW_BUNDLE: process.env['WORKFLOW_BUNDLE'] ?? '',
    DATABASE_POOL: '2',
    CRASH_AT: point,
  });
  const merchant = await createMerchant(app);
  await askForDemoData(app, merchant.email);
  expect(await child.ended).toBe('SIGKILL');
  const { startWorker } = await import('../../workers/worker.js');
  const { createActivities } = await import('../../activities/index.js');
  const worker = await startWorker({ ...workerSettings(), taskQueue, activities: createActivities() });
  await reachesStep(app, merchant.id, 2);
  await worker.stop();
  const { rows } = await app.pool.query<Record<string, number>>(
    `SELECT (SELECT count(*)::int FROM items WHERE merchant_id = $1) AS items,
       (SELECT count(*)::int FROM access_fees WHERE merchant_id = $1) AS fees,
       (SELECT count(*)::int FROM vouchers WHERE merchant_id = $1) AS vouchers,
       (SELECT count(*)::int FROM accounts WHERE merchant_id = $1 AND role = 'consumer'
          AND full_name IN ('Ada Lindqvist', 'Ben Okafor', 'Carla Ruiz', 'Deniz Aydin', 'Emil Novak')) AS readers,
       (SELECT count(*)::int FROM subscriptions s JOIN accounts a ON a.id = s.account_id WHERE s.merchant_id = $1
          AND a.full_name IN ('Ada Lindqvist', 'Ben Okafor', 'Carla Ruiz', 'Deniz Aydin', 'Emil Novak')) AS subscriptions`,
    [merchant.id],
  );
  expect(rows).toEqual([{ items: 3, fees: 4, vouchers: 1, readers: 5, subscriptions: 5 }]);
  expect(await journalFaults(app.pool, merchant.id)).toEqual([]);
});
