import { bundleTimeLapse } from '../support/bundles';
import { call } from '../support/client';
import { createMerchant, type Person } from '../support/factories';
import { receives } from '../support/mailbox';
import { startApp, type TestApp } from '../support/startApp';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { until } from '../support/until';
import {
  answering,
  createWebhook,
  eventsOf,
  isSigned,
  listDeliveries,
  publishEvents,
  runsOf,
  startReceiver,
  type Receiver,
} from '../support/webhooks';

/** Three days of a merchant's server that does not answer as it should: an hour takes a millisecond here. */

let app: TestApp;
let temporal: TemporalClient;
let receiver: Receiver;

beforeAll(async () => {
  app = await startApp({ WEBHOOK_ALLOW_PRIVATE: 'true', WORKFLOW_BUNDLE: await bundleTimeLapse() });
  await app.startWorker();
  temporal = await connectTemporal();
});

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(() => receiver.stop());

afterAll(async () => {
  await temporal.close();
  await app.stop();
});

/** Attempts that begin three days, and twelve that follow. */
const attemptsInThreeDays = 13;

/** Whole hours, each begun one counted. */
async function waitsOf(workflowId: string): Promise<number[]> {
  const { events } = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) => {
    const { seconds, nanos } = timer?.startToFireTimeout ?? {};
    return timer ? [Number(seconds ?? 0) * 1000 + Number(nanos ?? 0) / 1_000_000] : [];
  });
}

async function isOff(merchant: Person, id: number): Promise<boolean> {
  const { body } = await call<{ enabled: boolean }>(app, 'GET', `/webhooks/${id}`, undefined, merchant);
  return !body.enabled;
}

test('a webhook that fails for three days is turned off, and its merchant is told by mail', async () => {
  const merchant = await createMerchant(app);
  receiver.answer = answering(500, 'out of order');
  const { id, secret } = await createWebhook(app, merchant, { url: receiver.url });
  await publishEvents(merchant, ['access.granted', 'access.revoked']);
  await until(() => isOff(merchant, id));

  expect(eventsOf(receiver)).toEqual(Array.from({ length: attemptsInThreeDays }, () => [1, 'access.granted']));
  for (const each of receiver.received) expect(await isSigned(each, secret)).toBe(true);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  const [delivery, ...others] = await listDeliveries(app, merchant, id);
  expect(others).toEqual([]);
  expect(delivery).toMatchObject({ state: 'failed', attempts: attemptsInThreeDays, next_attempt_at: 0 });
  expect(delivery?.log).toHaveLength(attemptsInThreeDays);
  // Five seconds, a minute, five and thirty minutes are hours that have begun.
  const { delivery: deliveryOf } = await runsOf(app, id);
  expect(await waitsOf(deliveryOf(1))).toEqual([1, 1, 1, 1, 2, 5, 10, 12, 12, 12, 12, 7]);
  const mail = await receives(app, merchant, merchant.email, 'webhook_disabled');
  expect(mail.text).toContain(receiver.url);
  expect(mail.text).toContain('three days');
  const { body } = await call(app, 'GET', '/audit?action=webhook.disable', undefined, merchant);
  expect(body).toMatchObject({ total: 1, collection: [{ object_id: String(id) }] });
});

test('turned on again, it goes on with the next event; what failed can be sent by hand', async () => {
  const merchant = await createMerchant(app);
  receiver.answer = answering(500);
  const { id } = await createWebhook(app, merchant, { url: receiver.url });
  await publishEvents(merchant, ['access.granted', 'access.revoked']);
  await until(() => isOff(merchant, id));
  await publishEvents(merchant, ['account.logout']);

  receiver.answer = answering(200);
  await call(app, 'PATCH', `/webhooks/${id}`, { enabled: true }, merchant);
  await until(() => receiver.received.length === attemptsInThreeDays + 2);
  const failed = (await listDeliveries(app, merchant, id, 'failed'))[0];
  await call(app, 'POST', `/webhooks/${id}/deliveries/${failed?.id}/retry`, undefined, merchant);
  await until(async () => (await listDeliveries(app, merchant, id, 'delivered')).length === 3);
  expect(eventsOf(receiver).slice(attemptsInThreeDays)).toEqual([
    [2, 'access.revoked'],
    [3, 'account.logout'],
    [1, 'access.granted'],
  ]);
});

test('one that answers again within the three days has missed nothing, and heard all in order', async () => {
  const merchant = await createMerchant(app);
  receiver.answer = (response) => answering(receiver.received.length <= 8 ? 503 : 204)(response);
  const { id } = await createWebhook(app, merchant, { url: receiver.url });
  await publishEvents(merchant, ['access.granted', 'access.revoked', 'account.logout']);
  await until(async () => (await listDeliveries(app, merchant, id, 'delivered')).length === 3);
  expect(eventsOf(receiver).map(([event]) => event)).toEqual([...Array.from({ length: 9 }, () => 1), 2, 3]);
  expect(await isOff(merchant, id)).toBe(false);
});

test('one that nobody listens at is tried all the same', async () => {
  const merchant = await createMerchant(app);
  const gone = await startReceiver();
  await gone.stop();
  const { id } = await createWebhook(app, merchant, { url: gone.url });
  await publishEvents(merchant, ['access.granted']);
  await until(() => isOff(merchant, id));
  const [delivery] = await listDeliveries(app, merchant, id);
  expect(delivery).toMatchObject({ attempts: attemptsInThreeDays, response_code: null, error: 'ECONNREFUSED' });
});

test('an event that is no longer kept is left out, and the next one follows', async () => {
  const merchant = await createMerchant(app);
  receiver.answer = (response) => {
    const forget = app.pool.query('DELETE FROM events WHERE merchant_id = $1 AND sequence = 1', [merchant.id]);
    void forget.then(() => answering(receiver.received.length === 1 ? 500 : 200)(response));
  };
  const { id } = await createWebhook(app, merchant, { url: receiver.url });
  await publishEvents(merchant, ['access.granted', 'access.revoked']);
  await until(async () => (await listDeliveries(app, merchant, id, 'delivered')).length === 1);
  expect(eventsOf(receiver).map(([event]) => event)).toEqual([1, 2]);
  expect(await listDeliveries(app, merchant, id, 'dropped')).toMatchObject([{ event_id: 1, error: 'event_gone' }]);
});
