import { call } from '../support/client';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { receives } from '../support/mailbox';
import { type TestApp } from '../support/startApp';
import { until } from '../support/until';
import {
  answering,
  attempted,
  createWebhook,
  eventsOf,
  isSigned,
  letPass,
  listDeliveries,
  publishAbout,
  publishEvents,
  startReceiver,
  startWebhookApp,
  type Receiver,
} from '../support/webhooks';

/** A merchant's server fails for three days. The test changes the times in the rows instead of waiting. */

let app: TestApp;
let receiver: Receiver;
let merchant: Person;

beforeAll(async () => (app = await startWebhookApp()));
beforeEach(async () => {
  receiver = await startReceiver();
  merchant = await createMerchant(app);
});
afterEach(() => receiver.stop());
afterAll(() => app.stop());

/** In seconds. */
const waits = [5, 60, 300, 1800, 7200, 18_000, 36_000, 43_200, 43_200, 43_200, 43_200, 23_035];
const threeDays = 72 * 3600;

/** The next attempt after each failed one. It is planned between `attemptedAt` and `readAt`. */
interface Planned {
  nextAt: number;
  attemptedAt: number;
  readAt: number;
}

/** Lets every wait of three days pass, with an attempt after each. */
async function threeDaysPass(id: number, event: number): Promise<Planned[]> {
  const planned: Planned[] = [];
  for (const [index, wait] of waits.entries()) {
    const { next_attempt_at: nextAt, log } = await attempted(app, merchant, id, { event, attempts: index + 1 });
    planned.push({ nextAt, attemptedAt: log[index]?.at ?? 0, readAt: Math.floor(Date.now() / 1000) });
    await letPass(app, merchant, id, wait);
  }
  await attempted(app, merchant, id, { event, attempts: waits.length + 1 });
  return planned;
}

async function isOff(id: number): Promise<boolean> {
  const { body } = await call<{ enabled: boolean }>(app, 'GET', `/webhooks/${id}`, undefined, merchant);
  return !body.enabled;
}

test('failed: a webhook that accepts nothing for three days is turned off, and its merchant gets a mail', async () => {
  receiver.answer = answering(500, 'out of order');
  const { id, secret } = await createWebhook(app, merchant, { url: receiver.url });
  await publishEvents(merchant, ['access.granted']);
  const planned = await threeDaysPass(id, 1);
  await until(() => isOff(id));

  for (const [index, { nextAt, attemptedAt, readAt }] of planned.slice(0, -1).entries()) {
    const wait = waits[index] ?? 0;
    expect(nextAt).toBeGreaterThanOrEqual(attemptedAt + wait);
    expect(nextAt).toBeLessThanOrEqual(readAt + wait);
  }
  // The last attempt is three days after the first failure. The test has moved this time with the earlier waits.
  const firstFailedAt = (planned[0]?.nextAt ?? 0) - (waits[0] ?? 0);
  expect(planned.at(-1)?.nextAt).toBe(firstFailedAt + (waits.at(-1) ?? 0));
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(threeDays);
  expect(eventsOf(receiver)).toEqual(Array.from({ length: waits.length + 1 }, () => [1, 'access.granted']));
  for (const each of receiver.received) expect(await isSigned(each, secret)).toBe(true);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  const [delivery] = await listDeliveries(app, merchant, id);
  expect(delivery).toMatchObject({ state: 'failed', attempts: waits.length + 1, next_attempt_at: 0 });
  const mail = await receives(app, merchant, merchant.email, 'webhook_disabled');
  expect(mail.text).toContain(receiver.url);
  expect(mail.text).toContain('three days');
  const { body } = await call(app, 'GET', '/audit?action=webhook.disable', undefined, merchant);
  expect(body).toMatchObject({ total: 1, collection: [{ object_id: String(id) }] });
});

test('failed: one event that is never accepted among others is given up, and the webhook stays on', async () => {
  const customer = await createConsumer(app, merchant);
  receiver.answer = (response, { body }) => answering(body.includes('"access.revoked"') ? 500 : 200)(response);
  const { id } = await createWebhook(app, merchant, { url: receiver.url });
  await publishAbout(merchant, [customer.id]);
  await attempted(app, merchant, id, { event: 1, attempts: 1 });
  await publishEvents(merchant, ['access.granted']);
  await until(async () => (await listDeliveries(app, merchant, id, 'delivered')).length === 1);
  await app.pool.query(
    `UPDATE webhook_deliveries SET first_failed_at = now() - interval '72 hours' WHERE endpoint_id = $1`,
    [id],
  );
  await letPass(app, merchant, id, 60);
  expect(await attempted(app, merchant, id, { event: 1, attempts: 2 })).toMatchObject({ state: 'failed' });
  expect(await isOff(id)).toBe(false);
});

test.each([
  [9, true],
  [8, false],
])('failed: %i of ten ended events were given up; the webhook is turned off: %s', async (givenUp, isTurnedOff) => {
  receiver.answer = answering(500);
  const { id } = await createWebhook(app, merchant, { url: receiver.url });
  await app.pool.query(
    `INSERT INTO webhook_outcomes (endpoint_id, hour_starts_at, delivered, given_up)
     VALUES ($1, now() - interval '71 hours', $2, $3), ($1, now() - interval '73 hours', 1000, 0)`,
    [id, 10 - givenUp, givenUp - 1],
  );
  await publishEvents(merchant, ['access.granted']);
  await attempted(app, merchant, id, { event: 1, attempts: 1 });
  await app.pool.query(
    `UPDATE webhook_deliveries SET first_failed_at = now() - interval '72 hours', next_attempt_at = now()
     WHERE endpoint_id = $1`,
    [id],
  );
  await call(app, 'PATCH', `/webhooks/${id}`, { description: 'The last attempt' }, merchant);
  await until(async () => (await listDeliveries(app, merchant, id, 'failed')).length === 1);
  expect(await isOff(id)).toBe(isTurnedOff);
});

test('delivered: turned on again, the webhook continues with the next event, and the failed one can be sent by hand', async () => {
  receiver.answer = answering(500);
  const { id } = await createWebhook(app, merchant, { url: receiver.url });
  await publishEvents(merchant, ['access.granted']);
  await attempted(app, merchant, id, { event: 1, attempts: 1 });
  await letPass(app, merchant, id, threeDays);
  await until(() => isOff(id));
  await publishEvents(merchant, ['access.revoked', 'account.logout']);

  receiver.received.length = 0;
  receiver.answer = answering(200);
  await call(app, 'PATCH', `/webhooks/${id}`, { enabled: true }, merchant);
  await until(() => receiver.received.length === 2);
  const failed = (await listDeliveries(app, merchant, id, 'failed'))[0];
  await call(app, 'POST', `/webhooks/${id}/deliveries/${failed?.id}/retry`, undefined, merchant);
  await until(async () => (await listDeliveries(app, merchant, id, 'delivered')).length === 3);
  expect(eventsOf(receiver)).toEqual([
    [2, 'access.revoked'],
    [3, 'account.logout'],
    [1, 'access.granted'],
  ]);
  expect(
    (await app.pool.query('SELECT FROM webhook_outcomes WHERE given_up > 0 AND endpoint_id = $1', [id])).rows,
  ).toEqual([]);
});

test('pending: an address that refuses connections has the same attempts', async () => {
  const gone = await startReceiver();
  await gone.stop();
  const { id } = await createWebhook(app, merchant, { url: gone.url });
  await publishEvents(merchant, ['access.granted']);
  expect(await attempted(app, merchant, id, { event: 1, attempts: 1 })).toMatchObject({
    response_code: null,
    error: 'ECONNREFUSED',
    state: 'pending',
  });
  await letPass(app, merchant, id, threeDays);
  await until(() => isOff(id));
});

test('dropped: an event that is no longer stored is skipped, and the next one follows', async () => {
  receiver.answer = (response) => {
    const forget = app.pool.query('DELETE FROM events WHERE merchant_id = $1 AND sequence = 1', [merchant.id]);
    void forget.then(() => answering(receiver.received.length === 1 ? 500 : 200)(response));
  };
  const { id } = await createWebhook(app, merchant, { url: receiver.url });
  await publishEvents(merchant, ['access.granted', 'access.revoked']);
  await attempted(app, merchant, id, { event: 1, attempts: 1 });
  await letPass(app, merchant, id, 5);
  await until(async () => (await listDeliveries(app, merchant, id, 'delivered')).length === 1);
  expect(eventsOf(receiver).map(([event]) => event)).toEqual([1, 2]);
  expect(await listDeliveries(app, merchant, id, 'dropped')).toMatchObject([{ event_id: 1, error: 'event_gone' }]);
});
