import { type Transaction } from 'sequelize';
import type * as Rounds from '../../src/webhooks/rounds';
import { call } from '../support/client';
import { createConsumer, createMerchant, type Person } from '../support/factories';
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
  type Receiver,
} from '../support/webhooks';

/** A round of deliveries, called directly and by several workers at the same time. */

let app: TestApp;
let rounds: typeof Rounds;
let receiver: Receiver;
let merchant: Person;
let id: number;

// No worker and no workflow server run here, so messages stay in the outbox.
beforeAll(async () => {
  app = await startApp({ WEBHOOK_ALLOW_PRIVATE: 'true', TEMPORAL_ADDRESS: '127.0.0.1:9' });
  rounds = await import('../../src/webhooks/rounds.js');
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

async function wakes(): Promise<number> {
  const text = `SELECT FROM outbox WHERE workflow = 'webhookEndpoint' AND (input->>'endpointId')::int = $1`;
  return (await app.pool.query(text, [id])).rowCount ?? 0;
}

/** An event whose transaction is open until the test commits it. */
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

  test('is woken by events that were committed while it looked', async () => {
    await publishEvents(merchant, ['access.granted']);
    await rounds.deliverWebhooks(id);
    const before = await wakes();
    const commit = await publishSlowly();
    const round = rounds.deliverWebhooks(id);
    await commit();
    await round;
    const isDelivered = (await listDeliveries(app, merchant, id, 'delivered')).length === 2;
    expect(isDelivered || (await wakes()) > before).toBe(true);
  });

  test('is promised the next word by the next event after it fell asleep', async () => {
    await publishEvents(merchant, ['access.granted']);
    expect(await rounds.deliverWebhooks(id)).toEqual({ state: 'idle' });
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
    await rounds.deliverWebhooks(id);
    expect(eventsOf(receiver)).toEqual([[2, 'access.granted']]);
  });

  test('has no part in what is published where there is no webhook', async () => {
    const other = await createMerchant(app);
    const before = await app.pool.query('SELECT count(*) FROM outbox');
    await publishEvents(other, ['access.granted']);
    expect((await app.pool.query('SELECT count(*) FROM outbox')).rows).toEqual(before.rows);
  });
});

describe('deliverWebhooks', () => {
  test('a second round takes over the endpoint: the first claims nothing more, and requests in progress are sent at most twice', async () => {
    receiver.answer = (response) => void setTimeout(() => answering(200)(response), 20);
    await publishAbout(
      merchant,
      Array.from({ length: 40 }, () => merchant.id),
    );
    const first = rounds.deliverWebhooks(id);
    await until(() => receiver.received.length >= 3);
    await rounds.deliverWebhooks(id);
    await first;
    expect(await listDeliveries(app, merchant, id, 'delivered')).toHaveLength(40);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(40);
  });

  test('events of other types are skipped, and not read again', async () => {
    await call(app, 'PATCH', `/webhooks/${id}`, { events: ['account.logout'] }, merchant);
    await publishEvents(merchant, ['access.granted', 'access.revoked']);
    expect(await rounds.deliverWebhooks(id)).toEqual({ state: 'idle' });
    const text = 'SELECT cursor FROM webhook_endpoints WHERE id = $1';
    expect((await app.pool.query(text, [id])).rows).toEqual([{ cursor: 2 }]);
    expect(receiver.received).toEqual([]);
  });

  test('returns the time of the next attempt and the answer of the receiver', async () => {
    receiver.answer = answering(500);
    await publishEvents(merchant, ['access.granted']);
    const round = await rounds.deliverWebhooks(id);
    expect(round).toMatchObject({ state: 'retrying', failure: '500' });
    const dueInMs = round.state === 'retrying' ? round.dueInMs : 0;
    expect(dueInMs).toBeGreaterThan(0);
    expect(dueInMs).toBeLessThanOrEqual(5_000);
  });

  test('stops on request, and the next round sends the rest', async () => {
    const told = new AbortController();
    receiver.answer = (response) => {
      told.abort();
      answering(200)(response);
    };
    await publishEvents(merchant, ['access.granted', 'access.revoked', 'access.granted']);
    expect(await rounds.deliverWebhooks(id, told.signal)).toEqual({ state: 'delivering' });
    expect(eventsOf(receiver).map(([event]) => event)).toEqual([1]);
    expect(await rounds.deliverWebhooks(id)).toEqual({ state: 'idle' });
    expect(eventsOf(receiver).map(([event]) => event)).toEqual([1, 2, 3]);
  });

  test('an unreadable secret does not count as a failure of the receiver', async () => {
    await publishEvents(merchant, ['access.granted']);
    await app.pool.query('UPDATE webhook_endpoints SET sealed_secret = $2 WHERE id = $1', [id, Buffer.alloc(60)]);
    await expect(rounds.deliverWebhooks(id)).rejects.toThrow('another key');
    expect(await listDeliveries(app, merchant, id)).toMatchObject([{ attempts: 0, state: 'pending' }]);
  });

  test('many events that are given up at once turn the endpoint off once, with one mail', async () => {
    receiver.answer = answering(410);
    const customers = await times(20, () => createConsumer(app, merchant));
    await publishAbout(
      merchant,
      customers.map((customer) => customer.id),
    );
    expect(await rounds.deliverWebhooks(id)).toEqual({ state: 'stopped' });
    expect((await call(app, 'GET', `/webhooks/${id}`, undefined, merchant)).body).toMatchObject({
      enabled: false,
      disabled_reason: 'gone',
    });
    const { rows } = await app.pool.query(
      `SELECT (SELECT count(*)::int FROM mails WHERE merchant_id = $1 AND template = 'webhook_disabled') AS mails,
         (SELECT count(*)::int FROM audit_log WHERE merchant_id = $1 AND action = 'webhook.disable') AS entries`,
      [merchant.id],
    );
    expect(rows).toEqual([{ mails: 1, entries: 1 }]);
  });

  test('stopped: an unknown endpoint', async () => {
    expect(await rounds.deliverWebhooks(2_000_000_000)).toEqual({ state: 'stopped' });
  });
});

test('changes, events and rounds at the same time cause no deadlock', async () => {
  const customers = await times(5, () => createConsumer(app, merchant));
  await publishEvents(merchant, ['access.granted']);
  const statuses = await Promise.all([
    ...customers.map(
      async ({ id: customerID }) => (await call(app, 'DELETE', '/accounts', { customerID }, merchant)).status,
    ),
    ...Array.from({ length: 10 }, async (_, index) => {
      const fields = { enabled: index % 2 === 0, url: `${receiver.url}/${index}` };
      return (await call(app, 'PATCH', `/webhooks/${id}`, fields, merchant)).status;
    }),
    ...Array.from(
      { length: 5 },
      async () => (await call(app, 'POST', `/webhooks/${id}/secret`, undefined, merchant)).status,
    ),
    times(10, () => publishEvents(merchant, ['access.granted', 'access.revoked'])).then(() => 200),
    times(3, () => rounds.deliverWebhooks(id)).then(() => 200),
  ]);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect((await call(app, 'DELETE', `/webhooks/${id}`, undefined, merchant)).status).toBe(200);
});
