import { createMerchant } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { sweepAll } from '../support/sweeps';
import { startOwnTemporal, type OwnTemporal } from '../support/temporalServer';
import { until } from '../support/until';
import {
  answering,
  createWebhook,
  eventsOf,
  listDeliveries,
  publishEvents,
  startReceiver,
  type Receiver,
} from '../support/webhooks';

/** The workflow server stops, and starts again with or without its store. Every event arrives. */

let temporal: OwnTemporal;
let app: TestApp;
let receiver: Receiver;

beforeAll(async () => {
  temporal = await startOwnTemporal();
  app = await startApp({ TEMPORAL_ADDRESS: temporal.address, WEBHOOK_ALLOW_PRIVATE: 'true' });
  await app.startWorker();
});

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(() => receiver.stop());

afterAll(async () => {
  await app.stop();
  await temporal.stop();
});

test('what is published while it is away arrives when it is back', async () => {
  const merchant = await createMerchant(app);
  await createWebhook(app, merchant, { url: receiver.url });
  await temporal.kill();
  await publishEvents(merchant, ['access.granted', 'access.revoked']);
  await temporal.start();
  await until(() => receiver.received.length === 2);
  expect(eventsOf(receiver).map(([event]) => event)).toEqual([1, 2]);
});

test('its store is lost: what waited goes on where it was, and new events arrive', async () => {
  const merchant = await createMerchant(app);
  receiver.answer = answering(500);
  const { id } = await createWebhook(app, merchant, { url: receiver.url });
  await publishEvents(merchant, ['access.granted', 'access.revoked']);
  const [waiting] = await until(async () => {
    const found = (await listDeliveries(app, merchant, id)).filter(({ attempts }) => attempts > 0);
    return found.length > 0 && found;
  });
  await temporal.kill();
  await temporal.startEmpty();
  receiver.answer = answering(200);
  await publishEvents(merchant, ['account.logout']);
  await sweepAll();
  await until(async () => (await listDeliveries(app, merchant, id, 'delivered')).length === 3);
  const heard = eventsOf(receiver).map(([event]) => event);
  expect([...new Set(heard)]).toEqual([1, 2, 3]);
  expect(heard).toEqual([...heard].sort((a, b) => a - b));
  const ids = receiver.received.filter((_, index) => heard[index] === 1).map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids)).toEqual(new Set([waiting?.id]));
});
