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
          messageId: randomUUID(),
          workflow: 'eraseAccount' as const,
          workflowId: id,
          input: signal === undefined ? { operationId: 0 } : { aheadMs: signal },
          labels: { merchantId: 1, state: 'test', requestId: '', summary: 'Test' },
          ...(signal !== undefined && { signal: clockMovedSignal }),
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
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
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
