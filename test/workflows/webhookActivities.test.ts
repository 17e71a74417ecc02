import { type Transaction } from 'sequelize';
import type * as Attempts from '../../src/webhooks/attempts/service';
import type * as Queue from '../../src/webhooks/queue/service';
import { type FoundDelivery } from '../../workflows/messages';
import { call } from '../support/client';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import {
  answering,
  createWebhook,
  listDeliveries,
  publishEvents,
  startReceiver,
  type Receiver,
} from '../support/webhooks';

/** The steps of webhooks, called by hand: at the same time, and between the lines of each other. */

let app: TestApp;
let queue: typeof Queue;
let attempts: typeof Attempts;
let receiver: Receiver;
let merchant: Person;
let id: number;

// No worker runs here, and the workflow server is none: what is promised stays to be looked at.
beforeAll(async () => {
  app = await startApp({ WEBHOOK_ALLOW_PRIVATE: 'true', TEMPORAL_ADDRESS: '127.0.0.1:9' });
  queue = await import('../../src/webhooks/queue/service.js');
  attempts = await import('../../src/webhooks/attempts/service.js');
  receiver = await startReceiver();
});

beforeEach(async () => {
  receiver.received.length = 0;
  receiver.answer = answering(200);
  merchant = await createMerchant(app);
  ({ id } = await createWebhook(app, merchant, { url: receiver.url }));
});

afterAll(async () => {
  await receiver.stop();
  await app.stop();
});

const times = <T>(count: number, step: () => Promise<T>) => Promise.all(Array.from({ length: count }, step));

async function found(): Promise<FoundDelivery> {
  const next = await queue.nextDelivery(id);
  if (next.state !== 'found') throw new Error(`nothing was found: ${next.state}`);
  return next;
}

async function wakes(): Promise<number> {
  const text = `SELECT FROM outbox WHERE workflow = 'webhookEndpoint' AND (input->>'endpointId')::int = $1`;
  return (await app.pool.query(text, [id])).rowCount ?? 0;
}

/** An event that is written, and whose transaction waits to be told to go on. */
async function publishSlowly() {
  const { publish } = await import('../../src/notifications/publish.js');
  const { sequelize } = await import('../../src/adapters/postgres/connection.js');
  const inTransaction: Transaction = await sequelize.transaction();
  const event = {
    type: 'access.revoked',
    accountId: merchant.id,
    dedupeKey: 'slow',
    resource: { item_id: 1 },
  } as const;
  await publish(inTransaction, merchant.id, [event]);
  return () => inTransaction.commit();
}

describe('a run that sleeps', () => {
  test('is promised one word, however much is published before it wakes', async () => {
    await publishEvents(merchant, ['access.granted', 'access.revoked', 'access.granted']);
    await times(5, () => publishEvents(merchant, ['access.granted']));
    expect(await wakes()).toBe(1);
  });

  test('is woken by what was written while it looked, though nobody could see it yet', async () => {
    await publishEvents(merchant, ['access.granted']);
    const { deliveryId } = await found();
    await attempts.attemptDelivery({ deliveryId, attempt: 1, step: 0 });
    const commit = await publishSlowly();
    const next = queue.nextDelivery(id);
    await commit();
    expect(await next).toMatchObject({ state: 'found', sequence: 2 });
  });

  test('is promised the next word by the next event after it fell asleep', async () => {
    await publishEvents(merchant, ['access.granted']);
    await attempts.attemptDelivery({ deliveryId: (await found()).deliveryId, attempt: 1, step: 0 });
    expect(await queue.nextDelivery(id)).toEqual({ state: 'idle' });
    await publishEvents(merchant, ['access.granted', 'access.granted']);
    expect(await wakes()).toBe(2);
  });

  test('of a webhook that is made while an event is written: the next one wakes it, and is the first it hears of', async () => {
    const commit = await publishSlowly();
    const making = createWebhook(app, merchant, { url: receiver.url });
    await commit();
    ({ id } = await making);
    await publishEvents(merchant, ['access.granted']);
    expect(await wakes()).toBe(1);
    expect(await found()).toMatchObject({ sequence: 2, type: 'access.granted' });
  });

  test('has no part in what is published where there is no webhook', async () => {
    const other = await createMerchant(app);
    const before = await app.pool.query('SELECT count(*) FROM outbox');
    await publishEvents(other, ['access.granted']);
    expect((await app.pool.query('SELECT count(*) FROM outbox')).rows).toEqual(before.rows);
  });
});

test('nextDelivery, 20 times at once: one delivery', async () => {
  await publishEvents(merchant, ['access.granted', 'access.revoked']);
  const nexts = await times(20, () => queue.nextDelivery(id));
  expect(new Set(nexts.map((next) => next.state === 'found' && next.deliveryId)).size).toBe(1);
  expect(await listDeliveries(app, merchant, id)).toHaveLength(1);
});

test('nextDelivery: events that nobody wants are passed by, and not looked at again', async () => {
  await call(app, 'PATCH', `/webhooks/${id}`, { events: ['account.logout'] }, merchant);
  await publishEvents(merchant, ['access.granted', 'access.revoked']);
  expect(await queue.nextDelivery(id)).toEqual({ state: 'idle' });
  const text = 'SELECT cursor FROM webhook_endpoints WHERE id = $1';
  expect((await app.pool.query(text, [id])).rows).toEqual([{ cursor: 2 }]);
});

test('attemptDelivery: what is in the log is not sent again', async () => {
  await publishEvents(merchant, ['access.granted']);
  const { deliveryId } = await found();
  receiver.answer = answering(500);
  const attempt = { deliveryId, attempt: 1, step: 0, retryInMs: 5_000 };
  expect(await attempts.attemptDelivery(attempt)).toEqual({ outcome: 'failed', reason: '500', isGone: false });
  expect(await attempts.attemptDelivery(attempt)).toEqual({ outcome: 'failed', reason: '500', isGone: false });
  expect(receiver.received).toHaveLength(1);
  receiver.answer = answering(200);
  expect(await attempts.attemptDelivery({ ...attempt, attempt: 2 })).toEqual({ outcome: 'delivered' });
  expect(await attempts.attemptDelivery({ ...attempt, attempt: 3 })).toEqual({ outcome: 'delivered' });
  expect(receiver.received).toHaveLength(2);
});

test('attemptDelivery, 20 times at once: one of them is in the log, and all went under one id', async () => {
  await publishEvents(merchant, ['access.granted']);
  const { deliveryId } = await found();
  await times(20, () => attempts.attemptDelivery({ deliveryId, attempt: 1, step: 0 }));
  const [delivery] = await listDeliveries(app, merchant, id);
  expect(delivery).toMatchObject({ state: 'delivered', attempts: 1 });
  expect(delivery?.log).toHaveLength(1);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([delivery?.id]));
});

test('attemptDelivery: an unreadable secret is no fault of the receiver’s', async () => {
  await publishEvents(merchant, ['access.granted']);
  const { deliveryId } = await found();
  await app.pool.query('UPDATE webhook_endpoints SET sealed_secret = $2 WHERE id = $1', [id, Buffer.alloc(60)]);
  await expect(attempts.attemptDelivery({ deliveryId, attempt: 1, step: 0 })).rejects.toThrow('another key');
  expect(await listDeliveries(app, merchant, id)).toMatchObject([{ attempts: 0, state: 'pending' }]);
});

test('giveUpDelivery, 20 times at once: turned off once, told once', async () => {
  await publishEvents(merchant, ['access.granted', 'access.revoked']);
  const { deliveryId } = await found();
  await times(20, () => queue.giveUpDelivery({ deliveryId, reason: 'failing' }));
  expect((await call(app, 'GET', `/webhooks/${id}`, undefined, merchant)).body).toMatchObject({
    enabled: false,
    disabled_reason: 'failing',
  });
  const { rows } = await app.pool.query(
    `SELECT (SELECT count(*)::int FROM mails WHERE merchant_id = $1 AND template = 'webhook_disabled') AS mails,
       (SELECT count(*)::int FROM audit_log WHERE merchant_id = $1 AND action = 'webhook.disable') AS entries`,
    [merchant.id],
  );
  expect(rows).toEqual([{ mails: 1, entries: 1 }]);
  expect(await queue.nextDelivery(id)).toEqual({ state: 'stopped' });
});

test('changes, events and steps at once lock nobody out', async () => {
  const customers = await times(5, () => createConsumer(app, merchant));
  await publishEvents(merchant, ['access.granted']);
  const statuses = await Promise.all([
    ...customers.map(
      async ({ id: customerID }) => (await call(app, 'DELETE', '/accounts', { customerID }, merchant)).status,
    ),
    ...Array.from(
      { length: 10 },
      async (_, index) => (await call(app, 'PATCH', `/webhooks/${id}`, { enabled: index % 2 === 0 }, merchant)).status,
    ),
    ...Array.from(
      { length: 5 },
      async () => (await call(app, 'POST', `/webhooks/${id}/secret`, undefined, merchant)).status,
    ),
    times(10, () => publishEvents(merchant, ['access.granted', 'access.revoked'])).then(() => 200),
    times(10, () => queue.nextDelivery(id)).then(() => 200),
  ]);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect((await call(app, 'DELETE', `/webhooks/${id}`, undefined, merchant)).status).toBe(200);
});
