import { type RunningWorker } from '../../workers/worker';
import { bundleTimeLapse } from '../support/bundles';
import { call } from '../support/client';
import { createMerchant, type Person } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { until } from '../support/until';
import {
  answering,
  createWebhook,
  listDeliveries,
  publishEvents,
  runsOf,
  startReceiver,
  type Delivery,
  type Receiver,
} from '../support/webhooks';
import { unlapse, writeHistory, type WebhookPath } from './histories';

/** `npm run replay:record` writes the histories of webhooks anew; `replay.test.ts` replays them. */

let app: TestApp;
let temporal: TemporalClient;
let receiver: Receiver;
let merchant: Person;
let id: number;
let runs: Awaited<ReturnType<typeof runsOf>>;

beforeAll(async () => {
  app = await startApp({ WEBHOOK_ALLOW_PRIVATE: 'true' });
  temporal = await connectTemporal();
});

beforeEach(async () => {
  receiver = await startReceiver();
  merchant = await createMerchant(app);
  ({ id } = await createWebhook(app, merchant, { url: receiver.url }));
  runs = await runsOf(app, id);
});

afterEach(async () => {
  await call(app, 'DELETE', `/webhooks/${id}`, undefined, merchant);
  await receiver.stop();
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
});

/** The history once its workflow has ended. */
const wholeHistory = (workflowId: string) =>
  until(async () => {
    const found = await temporal.client.workflow
      .getHandle(workflowId)
      .describe()
      .catch(() => undefined);
    return found?.status.name === 'COMPLETED' && temporal.historyOf(workflowId);
  });

const publishOne = () => publishEvents(merchant, ['access.granted']);

const failsOnce = () =>
  until(async () => {
    const [delivery] = await listDeliveries(app, merchant, id);
    return delivery?.attempts === 1 && delivery;
  });

async function waiting(): Promise<Delivery> {
  receiver.answer = answering(500);
  await publishOne();
  return failsOnce();
}

async function single(status: number): Promise<string> {
  receiver.answer = answering(status);
  const { body } = await call<Delivery>(app, 'POST', `/webhooks/${id}/test`, undefined, merchant);
  return wholeHistory(runs.single(body.id));
}

const turnOff = () => call(app, 'PATCH', `/webhooks/${id}`, { enabled: false }, merchant);

const real: [WebhookPath, () => Promise<string>][] = [
  [
    'webhook-queue-delivers',
    async () => {
      await publishEvents(merchant, ['access.granted', 'access.revoked']);
      return wholeHistory(runs.queue);
    },
  ],
  [
    'webhook-queue-stopped',
    async () => {
      await waiting();
      await turnOff();
      return wholeHistory(runs.queue);
    },
  ],
  [
    'webhook-delivered',
    async () => {
      await publishOne();
      await failsOnce();
      return wholeHistory(runs.delivery(1));
    },
  ],
  [
    'webhook-tried-at-once-then-delivered',
    async () => {
      const delivery = await waiting();
      receiver.answer = answering(200);
      await call(app, 'POST', `/webhooks/${id}/deliveries/${delivery.id}/retry`, undefined, merchant);
      return wholeHistory(runs.delivery(1));
    },
  ],
  [
    'webhook-gone',
    async () => {
      receiver.answer = answering(410);
      await publishOne();
      await failsOnce();
      return wholeHistory(runs.delivery(1));
    },
  ],
  [
    'webhook-stopped',
    async () => {
      await waiting();
      await turnOff();
      return wholeHistory(runs.delivery(1));
    },
  ],
  [
    'webhook-event-dropped',
    async () => {
      const delivery = await waiting();
      await app.pool.query('DELETE FROM events WHERE merchant_id = $1', [merchant.id]);
      await call(app, 'POST', `/webhooks/${id}/deliveries/${delivery.id}/retry`, undefined, merchant);
      return wholeHistory(runs.delivery(1));
    },
  ],
  ['webhook-single', () => single(200)],
  ['webhook-single-fails', () => single(500)],
];

const lapsed: [WebhookPath, () => Promise<string>][] = [
  [
    'webhook-queue-delivery-ended-from-outside',
    async () => {
      receiver.answer = () => undefined;
      await publishOne();
      await until(() => receiver.received.length === 1);
      receiver.answer = answering(200);
      await temporal.client.workflow.getHandle(runs.delivery(1)).terminate();
      return wholeHistory(runs.queue);
    },
  ],
  [
    'webhook-fails-then-delivered',
    async () => {
      receiver.answer = (response) => answering(receiver.received.length < 5 ? 503 : 200)(response);
      await publishOne();
      await until(() => receiver.received.length > 0);
      return wholeHistory(runs.delivery(1));
    },
  ],
  [
    'webhook-given-up',
    async () => {
      receiver.answer = answering(500);
      await publishOne();
      await until(() => receiver.received.length > 0);
      return wholeHistory(runs.delivery(1));
    },
  ],
];

describe('as it goes', () => {
  let worker: RunningWorker;

  beforeAll(async () => (worker = await app.startWorker()));

  afterAll(() => worker.stop());

  test.each(real)('%s', async (path, record) => writeHistory(path, await record()));
});

describe('under the time lapse', () => {
  beforeAll(async () => {
    process.env['WORKFLOW_BUNDLE'] = await bundleTimeLapse();
    await app.startWorker();
  });

  test.each(lapsed)('%s', async (path, record) => writeHistory(path, unlapse(await record())));
});
