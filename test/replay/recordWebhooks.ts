import { call } from '../support/client';
import { type Person } from '../support/factories';
import { type TestApp } from '../support/startApp';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { until } from '../support/until';
import {
  answering,
  createReceivingMerchant,
  listDeliveries,
  publishEvents,
  runOf,
  startWebhookApp,
  type Receiver,
} from '../support/webhooks';
import { writeHistory, type WebhookPath } from './histories';

/** `npm run replay:record` writes the histories of webhooks anew; `replay.test.ts` replays them. */

let app: TestApp;
let temporal: TemporalClient;
let receiver: Receiver;
let merchant: Person;
let id: number;
let run: string;

beforeAll(async () => {
  app = await startWebhookApp();
  temporal = await connectTemporal();
});

beforeEach(async () => {
  ({ receiver, merchant, id } = await createReceivingMerchant(app));
  run = await runOf(app, id);
});

afterEach(async () => {
  await call(app, 'DELETE', `/webhooks/${id}`, undefined, merchant);
  await receiver.stop();
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
});

/** The history of the run after its end. */
const wholeHistory = () =>
  until(async () => {
    const found = await temporal.client.workflow
      .getHandle(run)
      .describe()
      .catch(() => undefined);
    return found?.status.name === 'COMPLETED' && temporal.historyOf(run);
  });

const states = async () => (await listDeliveries(app, merchant, id)).map(({ state }) => state);

const recordings: [WebhookPath, () => Promise<string>][] = [
  [
    'webhook-delivered',
    async () => {
      await publishEvents(merchant, ['access.granted', 'access.revoked']);
      await until(async () => (await states()).filter((state) => state === 'delivered').length === 2);
      return wholeHistory();
    },
  ],
  [
    'webhook-failed-then-delivered',
    async () => {
      receiver.answer = (response) => answering(receiver.received.length === 1 ? 500 : 200)(response);
      await publishEvents(merchant, ['access.granted']);
      await until(async () => (await states()).includes('delivered'));
      return wholeHistory();
    },
  ],
  [
    'webhook-gone',
    async () => {
      receiver.answer = answering(410);
      await publishEvents(merchant, ['access.granted']);
      await until(async () => (await states()).includes('failed'));
      return wholeHistory();
    },
  ],
  [
    'webhook-single-while-off',
    async () => {
      await call(app, 'PATCH', `/webhooks/${id}`, { enabled: false }, merchant);
      await call(app, 'POST', `/webhooks/${id}/test`, undefined, merchant);
      await until(async () => (await states()).includes('delivered'));
      return wholeHistory();
    },
  ],
];

test.each(recordings)('%s', async (path, record) => writeHistory(path, await record()));
