import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { type TestApp } from '../../support/startApp';
import { until } from '../../support/until';
import {
  answering,
  createReceivingMerchant,
  createWebhook,
  eventsOf,
  listDeliveries,
  publishAbout,
  publishEvents,
  startReceiver,
  startWebhookApp,
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

const now = () => Math.floor(Date.now() / 1000);
const anHour = () => ({ from: now() - 3600, to: now() + 60 });
const resend = (fields: Record<string, unknown>, caller = merchant) =>
  call<{ count: number }>(app, 'POST', `/webhooks/${id}/resend`, fields, caller);
const heard = () => eventsOf(receiver).map(([event]) => event);
const hears = (count: number) => until(() => receiver.received.length >= count);
const settle = () =>
  until(async () => (await listDeliveries(app, merchant, id)).every(({ state }) => state === 'delivered'));

test('202: the events of a range are sent again, in order and under their old ids', async () => {
  await publishEvents(merchant, ['access.granted', 'access.revoked', 'account.logout']);
  await hears(3);
  await settle();
  const { status, body } = await resend(anHour());
  expect({ status, body }).toEqual({ status: 202, body: { count: 3 } });
  await hears(6);
  expect(heard()).toEqual([1, 2, 3, 1, 2, 3]);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(ids.slice(3)).toEqual(ids.slice(0, 3));
  await settle();
  expect((await listDeliveries(app, merchant, id)).map(({ attempts }) => attempts)).toEqual([2, 2, 2]);
});

test('202: only the named types, and only types that the webhook subscribes to', async () => {
  await publishEvents(merchant, ['access.granted', 'access.revoked', 'account.logout']);
  await hears(3);
  await settle();
  await call(app, 'PATCH', `/webhooks/${id}`, { events: ['access.revoked', 'account.logout'] }, merchant);
  expect((await resend({ ...anHour(), events: ['access.granted', 'access.revoked'] })).body).toEqual({ count: 1 });
  await hears(4);
  expect(heard().at(-1)).toBe(2);
  expect((await resend({ ...anHour(), 'events[]': '' })).body).toEqual({ count: 2 });
});

test('202: the range includes its first second and excludes its last', async () => {
  await publishEvents(merchant, ['access.granted', 'access.revoked', 'account.logout']);
  await hears(3);
  await settle();
  const text = `UPDATE events SET happened_at = to_timestamp($2 + 10 * sequence) WHERE merchant_id = $1`;
  await app.pool.query(text, [merchant.id, 1_700_000_000]);
  expect((await resend({ from: 1_700_000_010, to: 1_700_000_020 })).body).toEqual({ count: 1 });
  expect((await resend({ from: 1_700_000_011, to: 1_700_000_020 })).body).toEqual({ count: 0 });
  expect((await resend({ from: '2023-11-14T22:13:30', to: '2023-11-14T22:13:51' })).body).toEqual({ count: 3 });
});

test('202: events from before the webhook was created are sent', async () => {
  const other = await startReceiver();
  await publishEvents(merchant, ['access.granted']);
  const { id: later } = await createWebhook(app, merchant, { url: other.url });
  const { body } = await call(app, 'POST', `/webhooks/${later}/resend`, anHour(), merchant);
  expect(body).toEqual({ count: 1 });
  await until(() => other.received.length === 1);
  expect(eventsOf(other)).toEqual([[1, 'access.granted']]);
  await other.stop();
});

test('202: after ten requests at once each event is sent once', async () => {
  await call(app, 'PATCH', `/webhooks/${id}`, { enabled: false }, merchant);
  await app.pool.query('UPDATE webhook_endpoints SET cursor = 2 WHERE id = $1', [id]);
  await publishEvents(merchant, ['access.granted', 'access.revoked']);
  const answers = await Promise.all(Array.from({ length: 10 }, () => resend(anHour())));
  expect(answers.map(({ body }) => body)).toEqual(Array.from({ length: 10 }, () => ({ count: 2 })));
  await call(app, 'PATCH', `/webhooks/${id}`, { enabled: true }, merchant);
  await settle();
  expect(heard()).toEqual([1, 2]);
});

test('202: a refused event is tried again, like a new one', async () => {
  await publishEvents(merchant, ['access.granted']);
  await hears(1);
  await settle();
  receiver.answer = answering(500);
  await resend(anHour());
  const [delivery] = await until(async () => {
    const found = await listDeliveries(app, merchant, id, 'pending');
    return found[0]?.attempts === 2 && found;
  });
  expect(delivery?.next_attempt_at).toBeGreaterThan(0);
});

test('202: the audit log has an entry', async () => {
  await resend(anHour());
  const { body } = await call(app, 'GET', '/audit?action=webhook.resend', undefined, merchant);
  expect(body).toMatchObject({ total: 1, collection: [{ object_id: String(id) }] });
});

test('422 invalid_input: more than 10,000 events, and nothing is sent', async () => {
  const { id: customer } = await createConsumer(app, merchant);
  await call(app, 'PATCH', `/webhooks/${id}`, { enabled: false }, merchant);
  await publishAbout(
    merchant,
    Array.from({ length: 10_001 }, () => customer),
  );
  await app.pool.query('UPDATE webhook_endpoints SET cursor = 10001 WHERE id = $1', [id]);
  expect(await resend(anHour())).toMatchObject({
    status: 422,
    body: { errors: { from: 'The from and to must name a time with at most 10000 events.' } },
  });
  expect(await listDeliveries(app, merchant, id)).toEqual([]);
  await app.pool.query('DELETE FROM events WHERE merchant_id = $1 AND sequence = 10001', [merchant.id]);
  expect((await resend(anHour())).body).toEqual({ count: 10_000 });
});

test('422 invalid_input: an end before its beginning, no beginning, an unknown type', async () => {
  expect(await resend({ from: now(), to: now() })).toMatchObject({
    status: 422,
    body: { errors: { to: 'The to must be later than the from.' } },
  });
  expect((await resend({ ...anHour(), events: ['nothing'] })).status).toBe(422);
  expect((await resend({ to: now() })).status).toBe(400);
});

test('404 webhook_not_found: another merchant’s', async () => {
  expect(await resend(anHour(), await createMerchant(app))).toMatchObject({
    status: 404,
    body: { error: 'webhook_not_found' },
  });
});
