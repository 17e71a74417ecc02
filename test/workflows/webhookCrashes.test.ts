import { randomUUID } from 'node:crypto';
import { type Activities } from '../../activities';
import { type startWorker as startWorkerType } from '../../workers/worker';
import { bundleTimeLapse } from '../support/bundles';
import { startProgram } from '../support/childProcess';
import { webhookSteps, type CrashPoint, type WebhookStep } from '../support/crashPoints';
import { createMerchant } from '../support/factories';
import { installQuietRuntime } from '../support/quietRuntime';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';
import { answering, createWebhook, eventsOf, listDeliveries, publishEvents, startReceiver } from '../support/webhooks';

/** The worker is killed around each step of a delivery, and another one goes on: nothing is left out or overtaken. */

interface Path {
  /** What the receiver answers. */
  status: number;
  ends: 'delivered' | 'failed';
  /** An hour passes in a millisecond. */
  isLapsed?: true;
}

const paths: Record<WebhookStep, Path> = {
  nextDelivery: { status: 200, ends: 'delivered' },
  attemptDelivery: { status: 200, ends: 'delivered' },
  giveUpDelivery: { status: 500, ends: 'failed', isLapsed: true },
};

const cells = webhookSteps.flatMap((step) =>
  (['before', 'after'] as const).map((side): [CrashPoint, Path] => [`${step}:${side}`, paths[step]]),
);

let app: TestApp;
let startWorker: typeof startWorkerType;
let activities: Activities;
let timeLapse: string;
let setTaskQueue: (name: string) => void;

beforeAll(async () => {
  app = await startApp({ WEBHOOK_ALLOW_PRIVATE: 'true' });
  timeLapse = await bundleTimeLapse();
  ({ startWorker } = await import('../../workers/worker.js'));
  activities = (await import('../../activities/index.js')).createActivities();
  const { config } = await import('../../src/config.js');
  setTaskQueue = (name) => void (config.TEMPORAL_TASK_QUEUE = name);
  installQuietRuntime();
});

afterAll(() => app.stop());

describe('kill -9 of the worker, then another worker', () => {
  test.each(cells)('%s: each event arrives, in order, under one id', async (point, { status, ends, isLapsed }) => {
    const taskQueue = `crash-${randomUUID()}`;
    const workflowBundle = isLapsed ? timeLapse : (process.env['WORKFLOW_BUNDLE'] ?? '');
    const receiver = await startReceiver();
    receiver.answer = answering(status);
    const merchant = await createMerchant(app);
    const { id } = await createWebhook(app, merchant, { url: receiver.url });
    setTaskQueue(taskQueue);
    const child = await startProgram('crashingWorker', {
      TEMPORAL_TASK_QUEUE: taskQueue,
      WORKFLOW_BUNDLE: workflowBundle,
      DATABASE_POOL: '2',
      CRASH_AT: point,
    });
    await publishEvents(merchant, ['access.granted', 'access.revoked']);
    expect(await child.ended).toBe('SIGKILL');

    const cell = { taskQueue, workflowBundle, namespace: 'default', activities };
    const worker = await startWorker({ ...cell, address: process.env['TEMPORAL_ADDRESS'] ?? '' });
    const deliveries = await until(async () => {
      const found = await listDeliveries(app, merchant, id, ends);
      return found.length === (ends === 'delivered' ? 2 : 1) && found.reverse();
    });
    const events = eventsOf(receiver).map(([event]) => event);
    expect(events).toEqual([...events].sort((a, b) => a - b));
    expect([...new Set(events)]).toEqual(deliveries.map(({ event_id }) => event_id));
    const idsOf = (event: number) => receiver.received.filter((_, index) => events[index] === event);
    for (const delivery of deliveries)
      expect(new Set(idsOf(delivery.event_id).map(({ headers }) => headers['webhook-id']))).toEqual(
        new Set([delivery.id]),
      );
    if (ends === 'failed') {
      const { rows } = await app.pool.query(
        `SELECT (SELECT count(*)::int FROM mails WHERE merchant_id = $1 AND template = 'webhook_disabled') AS mails,
           (SELECT count(*)::int FROM audit_log WHERE merchant_id = $1 AND action = 'webhook.disable') AS entries`,
        [merchant.id],
      );
      expect(rows).toEqual([{ mails: 1, entries: 1 }]);
    }
    await worker.stop();
    await receiver.stop();
  });
});
