import { once } from 'node:events';
import { type Duplex } from 'node:stream';
import { Client } from 'pg';
import { asAppError } from '../../src/kit/failures';
import { startApp, type TestApp } from '../support/startApp';

/** What the database driver says about a broken connection becomes an answer that asks for a repetition. */

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const logger = { warn: () => undefined, error: () => undefined } as never;
const answerTo = (error: unknown) => {
  const { code, details } = asAppError({ logger }, error, 'test', 'request-1');
  return [code, details.retryAfterSeconds];
};

/** The error of a statement on a connection of its own. */
async function failureOf(work: (client: Client) => Promise<unknown>): Promise<unknown> {
  const client = new Client(app.pool.options);
  client.on('error', () => undefined);
  await client.connect();
  return work(client).then(
    () => undefined,
    (error: unknown) => error,
  );
}

const endItself = 'SELECT pg_terminate_backend(pg_backend_pid())';

test('503 service_unavailable: PostgreSQL ends the session during the statement', async () => {
  expect(answerTo(await failureOf((client) => client.query(endItself)))).toEqual(['service_unavailable', 2]);
});

test('503 service_unavailable: the connection broke before the statement', async () => {
  const failure = await failureOf(async (client) => {
    const broken = once(client, 'error');
    const { connection } = client as unknown as { connection: { stream: Duplex } };
    connection.stream.destroy(new Error('read ECONNRESET'));
    await broken;
    await client.query('SELECT 1');
  });
  expect((failure as Error).message).toContain('is not queryable');
  expect(answerTo(failure)).toEqual(['service_unavailable', 2]);
});

test('503 service_unavailable: the client closed the connection before the statement', async () => {
  const failure = await failureOf(async (client) => {
    await client.end();
    await client.query('SELECT 1');
  });
  expect(answerTo(failure)).toEqual(['service_unavailable', 2]);
});

test('500 internal_error: a statement that is wrong is a bug', async () => {
  const failure = await failureOf((client) => client.query('SELECT no_such_column').finally(() => client.end()));
  expect(answerTo(failure)).toEqual(['internal_error', undefined]);
});
