import { randomUUID } from 'node:crypto';
import type * as Outbox from '../../src/adapters/outbox';
import { clockMovedSignal } from '../../workflows/messages';
import { startApp, type TestApp } from '../support/startApp';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { until } from '../support/until';

/** How messages are sent to Temporal. No worker runs the workflows, and they have no rows. */

let app: TestApp;
let temporal: TemporalClient;
interface Message {
  id: string;
  signal?: number;
}

/** Sends a signal after the transaction, as a request does. Something may happen to its row before. */
let signalNow: (id: string, before?: (outboxId: number) => Promise<unknown>) => Promise<number>;
/** Writes the messages, and returns how many milliseconds after the transaction each is due. */
let promise: (messages: Message[]) => Promise<number[]>;

beforeAll(async () => {
  app = await startApp();
  temporal = await connectTemporal();
  const outbox: typeof Outbox = await import('../../src/adapters/outbox.js');
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  const { execute } = await import('../../src/adapters/postgres/statement.js');
  promise = (messages) =>
    transaction(async (inTransaction) => {
      await outbox.enqueueAll(
        inTransaction,
        messages.map(({ id, signal }) => ({
          ...message(id),
          ...(signal !== undefined && { input: { aheadMs: signal }, signal: clockMovedSignal }),
        })),
      );
      const rows = await execute<{ ms: number }>(
        inTransaction,
        `SELECT extract(epoch FROM available_at - now())::float8 * 1000 AS ms FROM outbox
         WHERE workflow_id = ANY($1) ORDER BY id`,
        [messages.map(({ id }) => id)],
      );
      return rows.map(({ ms }) => Math.round(ms));
    });
  signalNow = async (id, before) => {
    const row = await transaction((inTransaction) =>
      outbox.enqueue(inTransaction, { ...message(id), input: { aheadMs: 1 }, signal: clockMovedSignal }),
    );
    await before?.(row.id);
    await outbox.sendNow(row);
    return row.id;
  };
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
});

const message = (id: string) => ({
  messageId: randomUUID(),
  workflow: 'eraseAccount' as const,
  workflowId: id,
  input: { operationId: 0 },
  labels: { merchantId: 1, state: 'test', requestId: '', summary: 'Test' },
});

const newId = () => `relay-${randomUUID()}`;

async function waiting(): Promise<string[]> {
  const { rows } = await app.pool.query<{ workflow_id: string }>('SELECT workflow_id FROM outbox ORDER BY id');
  return rows.map(({ workflow_id }) => workflow_id);
}

test('a slow send does not delay other workflows', async () => {
  const slow = newId();
  const others = Array.from({ length: 60 }, newId);
  const holder = await app.pool.connect();
  await app.pool.query(
    `CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_advisory_xact_lock(42); RETURN old; END $$`,
  );
  await app.pool.query(
    `CREATE TRIGGER slow BEFORE DELETE ON outbox FOR EACH ROW WHEN (old.workflow_id = '${slow}')
     EXECUTE FUNCTION wait_for_test()`,
  );
  try {
    await holder.query('SELECT pg_advisory_lock(42)');
    await promise([slow, ...others].map((id) => ({ id })));
    await until(async () => (await waiting()).length === 1);
    expect(await waiting()).toEqual([slow]);
  } finally {
    await holder.query('SELECT pg_advisory_unlock_all()');
    holder.release();
  }
  await until(async () => (await waiting()).length === 0);
});

test.each([0, 1, 2, 25])('%i messages to as many workflows are due evenly, ten in a second', async (count) => {
  const due = await promise(Array.from({ length: count }, () => ({ id: newId() })));
  expect(due).toEqual(Array.from({ length: count }, (_, n) => n * 100));
  await until(async () => (await waiting()).length === 0);
});

describe('a message that its request may not send, because an earlier one of the workflow waits', () => {
  const dueIn = (outboxId: number, seconds: number) =>
    app.pool.query('UPDATE outbox SET available_at = now() + make_interval(secs => $2) WHERE id = $1', [
      outboxId,
      seconds,
    ]);
  const isDue = async (outboxId: number) => {
    const { rows } = await app.pool.query<{ is_due: boolean }>(
      'SELECT available_at <= now() AS is_due FROM outbox WHERE id = $1',
      [outboxId],
    );
    return rows[0]?.is_due;
  };
  const startLater = async (id: string) => {
    const { rows } = await app.pool.query<{ id: number }>(
      `INSERT INTO outbox (workflow, workflow_id, message_id, input, memo, available_at)
       VALUES ('eraseAccount', $1, gen_random_uuid(), '{"operationId": 0}', $2, now() + interval '1 hour') RETURNING id`,
      [id, message(id).labels],
    );
    return rows[0]?.id ?? 0;
  };

  test('is due at once, and sent after the earlier one', async () => {
    const id = newId();
    const start = await startLater(id);
    const signal = await signalNow(id);
    expect(await isDue(signal)).toBe(true);
    await dueIn(start, 0);
    await until(async () => !(await waiting()).includes(id));
    expect(await temporal.historyOf(id)).toContain(clockMovedSignal);
  });

  test('is left alone while the relay has leased it', async () => {
    const id = newId();
    const start = await startLater(id);
    const signal = await signalNow(id, (outboxId) => dueIn(outboxId, 3_600));
    expect(await isDue(signal)).toBe(false);
    await dueIn(start, 0);
    await dueIn(signal, 0);
    await until(async () => !(await waiting()).includes(id));
  });
});

test('the messages of one workflow arrive in order, each once', async () => {
  const ids = Array.from({ length: 5 }, newId);
  const signals = Array.from({ length: 20 }, (_, n) => n + 1);
  await promise([...ids.map((id) => ({ id })), ...signals.flatMap((signal) => ids.map((id) => ({ id, signal })))]);
  await until(async () => (await waiting()).length === 0);
  for (const id of ids) {
    const history = JSON.parse(await temporal.historyOf(id)) as { events: HistoryEvent[] };
    const heard = history.events.flatMap(({ workflowExecutionSignaledEventAttributes: told }) => told ?? []);
    expect(heard.map(({ input }) => aheadOf(input))).toEqual(signals);
  }
});

interface HistoryEvent {
  workflowExecutionSignaledEventAttributes?: { input: { payloads: { data: string }[] } };
}

function aheadOf({ payloads }: { payloads: { data: string }[] }): number {
  const told = JSON.parse(Buffer.from(payloads[0]?.data ?? '', 'base64').toString()) as { aheadMs: number };
  return told.aheadMs;
}
