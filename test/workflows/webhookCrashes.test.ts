import { randomUUID } from 'node:crypto';
import { type Activities } from '../../activities';
import { type startWorker as startWorkerType } from '../../workers/worker';
import { startProgram } from '../support/childProcess';
import { webhookSteps, type CrashPoint } from '../support/crashPoints';
import { createConsumer, createMerchant } from '../support/factories';
import { installQuietRuntime } from '../support/quietRuntime';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';
import {
  answering,
  createWebhook,
  eventsOf,
  listDeliveries,
  publishAbout,
  publishEvents,
  startReceiver,
} from '../support/webhooks';
import { workerSettings } from '../support/workerSettings';

/** The worker is killed before, during and after a round of deliveries. Another worker continues. */

const cells = webhookSteps.flatMap((step) =>
  (['before', 'after'] as const).map((side): CrashPoint => `${step}:${side}`),
);

let app: TestApp;
let startWorker: typeof startWorkerType;
let activities: Activities;
let setTaskQueue: (name: string) => void;

beforeAll(async () => {
  app = await startApp({ WEBHOOK_ALLOW_PRIVATE: 'true' });
  ({ startWorker } = await import('../../workers/worker.js'));
  activities = (await import('../../activities/index.js')).createActivities();
  const { config } = await import('../../src/config.js');
  setTaskQueue = (name) => void (config.TEMPORAL_TASK_QUEUE = name);
  installQuietRuntime();
});

afterAll(() => app.stop());

async function startChild(environment: Record<string, string>) {
  const taskQueue = `crash-${randomUUID()}`;
  const workflowBundle = process.env['WORKFLOW_BUNDLE'] ?? '';
  setTaskQueue(taskQueue);
  const child = await startProgram('crashingWorker', {
    TEMPORAL_TASK_QUEUE: taskQueue,
    WORKFLOW_BUNDLE: workflowBundle,
    DATABASE_POOL: '4',
    ...environment,
  });
  const startHealthy = () => startWorker({ ...workerSettings(), taskQueue, activities });
  return { child, startHealthy };
}

describe('kill -9 of the worker, then another worker', () => {
  test.each(cells)('%s: each event arrives, in order, under one id', async (point) => {
    const receiver = await startReceiver();
    const merchant = await createMerchant(app);
    const { id } = await createWebhook(app, merchant, { url: receiver.url });
    const { child, startHealthy } = await startChild({ CRASH_AT: point });
    await publishEvents(merchant, ['access.granted', 'access.revoked']);
    expect(await child.ended).toBe('SIGKILL');
    const worker = await startHealthy();
    const deliveries = await until(async () => {
      const found = await listDeliveries(app, merchant, id, 'delivered');
      return found.length === 2 && found.reverse();
    });
    expect(eventsOf(receiver).map(([event]) => event)).toEqual([1, 2]);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(deliveries.map((each) => each.id));
    await worker.stop();
    await receiver.stop();
  });

  test('in the middle: only requests in progress arrive twice, under the same id, and each account keeps its order', async () => {
    const receiver = await startReceiver();
    const merchant = await createMerchant(app);
    const customers = await Promise.all(Array.from({ length: 5 }, () => createConsumer(app, merchant)));
    const { id } = await createWebhook(app, merchant, { url: receiver.url });
    const { child, startHealthy } = await startChild({});
    receiver.answer = (response) => {
      if (receiver.received.length === 100) void child.kill();
      answering(200)(response);
    };
    const whose = Array.from({ length: 300 }, (_, index) => customers[index % 5]?.id ?? 0);
    await publishAbout(merchant, whose);
    expect(await child.ended).toBe('SIGKILL');
    const worker = await startHealthy();
    await until(async () => {
      const text = `SELECT FROM webhook_deliveries WHERE endpoint_id = $1 AND state = 'delivered'`;
      return (await app.pool.query(text, [id])).rowCount === 300;
    });
    const heard = eventsOf(receiver).map(([event]) => event);
    expect(new Set(heard).size).toBe(300);
    // At most one event of each account was in progress.
    expect(heard.length).toBeLessThanOrEqual(305);
    for (const accountId of new Set(whose)) {
      const own = heard.filter((event) => whose[event - 1] === accountId);
      expect(own).toEqual([...own].sort((a, b) => a - b));
    }
    const idsByEvent = new Map(heard.map((event) => [event, new Set<unknown>()]));
    for (const [index, event] of heard.entries())
      idsByEvent.get(event)?.add(receiver.received[index]?.headers['webhook-id']);
    expect([...idsByEvent.values()].every((ids) => ids.size === 1)).toBe(true);
    await worker.stop();
    await receiver.stop();
  });
});
