import { call } from '../../support/client';
import { createMerchant, type Person } from '../../support/factories';
import { type TestApp } from '../../support/startApp';
import { until } from '../../support/until';
import {
  answering,
  createReceivingMerchant,
  createWebhook,
  eventsOf,
  listDeliveries,
  publishEvents,
  startWebhookApp,
  type Delivery,
  type Receiver,
} from '../../support/webhooks';

let app: TestApp;
let receiver: Receiver;
let merchant: Person;
let id: number;

beforeAll(async () => (app = await startWebhookApp()));
beforeEach(async () => ({ receiver, merchant, id } = await createReceivingMerchant(app)));
afterEach(() => receiver.stop());
afterAll(() => app.stop());

const retry = (deliveryId: string | undefined, caller = merchant) =>
  call<Delivery>(app, 'POST', `/webhooks/${id}/deliveries/${deliveryId}/retry`, undefined, caller);

const newest = (holds: (delivery: Delivery) => boolean) =>
  until(async () => {
    const [delivery] = await listDeliveries(app, merchant, id);
    return delivery && holds(delivery) && delivery;
  });

const first = (holds: (delivery: Delivery) => boolean) =>
  until(async () => {
    const delivery = (await listDeliveries(app, merchant, id)).at(-1);
    return delivery && holds(delivery) && delivery;
  });

test('202: what waits is tried at once, and its schedule stays', async () => {
  // The next scheduled attempt is an hour away and does not come in between.
  receiver.answer = (response) => void response.writeHead(503, { 'Retry-After': 3600 }).end();
  await publishEvents(merchant, ['access.granted', 'access.revoked']);
  const waiting = await first(({ attempts }) => attempts === 1);
  receiver.answer = answering(503);
  const { status, body } = await retry(waiting.id);
  expect(status).toBe(202);
  expect(body).toMatchObject({ id: waiting.id, state: 'pending' });
  const tried = await first(({ attempts }) => attempts === 2);
  expect(tried).toMatchObject({ response_code: 503, state: 'pending' });
  expect(Math.abs(tried.next_attempt_at - waiting.next_attempt_at)).toBeLessThanOrEqual(1);

  receiver.answer = answering(200);
  await retry(waiting.id);
  await until(async () => (await listDeliveries(app, merchant, id, 'delivered')).length === 2);
  expect(eventsOf(receiver).map(([event]) => event)).toEqual([1, 1, 1, 2]);
});

test('202: what was delivered is sent once more, under the same id and beside the queue', async () => {
  await publishEvents(merchant, ['access.granted']);
  const delivered = await newest(({ state }) => state === 'delivered');
  receiver.answer = answering(500);
  await publishEvents(merchant, ['access.revoked']);
  await newest(({ attempts, event_id }) => event_id === 2 && attempts === 1);
  receiver.answer = answering(200);
  expect((await retry(delivered.id)).body).toMatchObject({ id: delivered.id, state: 'pending' });
  await until(() => eventsOf(receiver).filter(([event]) => event === 1).length === 2);
  const ids = receiver.received.filter(({ body }) => body.includes('access.granted'));
  expect(ids.map(({ headers }) => headers['webhook-id'])).toEqual([delivered.id, delivered.id]);
});

test('202: what fails again has failed, and the webhook stays on', async () => {
  await publishEvents(merchant, ['access.granted']);
  const delivered = await newest(({ state }) => state === 'delivered');
  receiver.answer = answering(410);
  await retry(delivered.id);
  const failed = await newest(({ state }) => state === 'failed');
  expect(failed).toMatchObject({ attempts: 2, response_code: 410, next_attempt_at: 0 });
  expect((await call(app, 'GET', `/webhooks/${id}`, undefined, merchant)).body).toMatchObject({ enabled: true });
});

test('202: also while the webhook is off', async () => {
  await publishEvents(merchant, ['access.granted']);
  const delivered = await newest(({ state }) => state === 'delivered');
  await call(app, 'PATCH', `/webhooks/${id}`, { enabled: false }, merchant);
  await retry(delivered.id);
  await newest(({ state, attempts }) => state === 'delivered' && attempts === 2);
  expect(receiver.received).toHaveLength(2);
});

test('202: asked for many times at once, it is sent once', async () => {
  await publishEvents(merchant, ['access.granted']);
  const delivered = await newest(({ state }) => state === 'delivered');
  receiver.answer = () => undefined;
  await Promise.all(Array.from({ length: 10 }, () => retry(delivered.id)));
  await until(() => receiver.received.length === 2);
  // Ten messages to one run: the relay sends those that their requests have left to it.
  const waiting = () => app.pool.query(`SELECT FROM outbox WHERE workflow_id LIKE $1`, [`%${delivered.id}%`]);
  await until(async () => (await waiting()).rowCount === 0);
  expect(receiver.received).toHaveLength(2);
});

test('202: the audit log tells of it', async () => {
  await publishEvents(merchant, ['access.granted']);
  await retry((await newest(({ state }) => state === 'delivered')).id);
  const { body } = await call(app, 'GET', '/audit?action=webhook.retry', undefined, merchant);
  expect(body).toMatchObject({ total: 1, collection: [{ object_id: String(id) }] });
});

test('409 webhook_event_gone: the event is no longer kept', async () => {
  await publishEvents(merchant, ['access.granted']);
  const delivered = await newest(({ state }) => state === 'delivered');
  await app.pool.query('DELETE FROM events WHERE merchant_id = $1', [merchant.id]);
  expect(await retry(delivered.id)).toMatchObject({ status: 409, body: { error: 'webhook_event_gone' } });
  expect(await listDeliveries(app, merchant, id, 'delivered')).toHaveLength(1);
});

test('404 webhook_delivery_not_found: none of this webhook', async () => {
  const other = await createWebhook(app, merchant, { url: receiver.url });
  const { body } = await call<Delivery>(app, 'POST', `/webhooks/${other.id}/test`, undefined, merchant);
  for (const unknown of [body.id, 'msg_unknown'])
    expect(await retry(unknown)).toMatchObject({ status: 404, body: { error: 'webhook_delivery_not_found' } });
});

test('404 webhook_not_found: another merchant’s', async () => {
  await publishEvents(merchant, ['access.granted']);
  const { id: deliveryId } = await newest(({ state }) => state === 'delivered');
  expect(await retry(deliveryId, await createMerchant(app))).toMatchObject({
    status: 404,
    body: { error: 'webhook_not_found' },
  });
});
