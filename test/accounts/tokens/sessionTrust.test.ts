import jsonwebtoken, { type JwtPayload } from 'jsonwebtoken';
import { Client } from 'pg';
import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { createFollower } from '../../support/followers';
import { type Proxy, startProxy } from '../../support/proxy';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

/** How long a replica trusts a session that it has read. SQL changes the session as another replica would. */

let app: TestApp;
let proxy: Proxy;
let merchant: Person;

beforeAll(async () => {
  proxy = await startProxy(process.env['DATABASE_URL'] ?? '');
  app = await startApp({ DATABASE_URL: proxy.url });
  merchant = await createMerchant(app);
});

afterEach(() => jest.restoreAllMocks());

afterAll(async () => {
  await app.stop();
  await proxy.stop();
});

const sessionOf = ({ token }: Person) => (jsonwebtoken.decode(token) as JwtPayload)['sid'] as string;
const statusOf = async (person: Person) => (await call(app, 'GET', '/accounts', undefined, person)).status;

async function createSignedIn(): Promise<Person> {
  const consumer = await createConsumer(app, merchant);
  expect(await statusOf(consumer)).toBe(200);
  return consumer;
}

const realNow = Date.now.bind(Date);

function moveClock(byMs: number): void {
  jest.spyOn(Date, 'now').mockImplementation(() => realNow() + byMs);
}

/** The replica's heartbeats to itself, sent by its clock from now on. */
async function hearBeats(count: number): Promise<void> {
  const fromMs = Date.now();
  const client = new Client(process.env['DATABASE_URL']);
  await client.connect();
  let heard = 0;
  client.on('notification', ({ payload = '' }) => {
    if (Number(payload.split(' ')[1]) >= fromMs) heard += 1;
  });
  await client.query('LISTEN heartbeats');
  await until(() => heard >= count);
  await client.end();
}

async function countReadings(work: () => Promise<unknown>): Promise<number> {
  const { pool } = await import('../../../src/adapters/postgres/connection.js');
  const query = jest.spyOn(pool, 'query');
  await work();
  const names = query.mock.calls.map(([asked]) => (asked as { name?: string }).name);
  query.mockRestore();
  return names.filter((name) => name === 'session_callers').length;
}

/** The backend that listens for this replica. */
async function listening(): Promise<{ pid: number; port: number }> {
  const { rows } = await app.pool.query<{ pid: number; port: number }>(
    `SELECT pid, client_port AS port FROM pg_stat_activity
     WHERE datname = current_database() AND query LIKE 'LISTEN%' AND query NOT LIKE '%heartbeats%'`,
  );
  expect(rows).toHaveLength(1);
  return rows[0] ?? { pid: 0, port: 0 };
}

test('200: a session is read once, as long as the replica hears of every change', async () => {
  const consumer = await createSignedIn();
  moveClock(60_000);
  await hearBeats(2);
  expect(await countReadings(() => statusOf(consumer))).toBe(0);
});

test.each<[string, string]>([
  ['is ended', 'UPDATE sessions SET revoked_at = now() WHERE id = $1'],
  ['ends earlier', `UPDATE sessions SET expires_at = now() - interval '1 second' WHERE id = $1`],
  ['is deleted', 'DELETE FROM sessions WHERE id = $1'],
  [
    'loses its account',
    'UPDATE accounts SET is_active = false WHERE id = (SELECT account_id FROM sessions WHERE id = $1)',
  ],
  [
    'loses its app',
    `UPDATE oauth_apps SET is_active = false WHERE client_id = (SELECT client_id FROM sessions WHERE id = $1)`,
  ],
])('401 invalid_auth_token: as soon as its NOTIFY arrives, when a session %s', async (_what, change) => {
  const consumer = await createConsumer(app, await createMerchant(app));
  expect(await statusOf(consumer)).toBe(200);
  await app.pool.query(change, [sessionOf(consumer)]);
  await until(async () => (await statusOf(consumer)) === 401);
});

test('403 forbidden: as soon as its NOTIFY arrives, when a follower loses a scope', async () => {
  const follower = await createFollower(app, merchant, ['accounts:read']);
  const status = async () => (await call(app, 'GET', '/accounts/registered-users', undefined, follower)).status;
  expect(await status()).toBe(200);
  await app.pool.query(`UPDATE follower_relations SET scopes = '{}' WHERE follower_id = $1`, [follower.id]);
  await until(async () => (await status()) === 403);
});

test('401 invalid_auth_token: when its time is over, of which nobody tells', async () => {
  const consumer = await createConsumer(app, merchant);
  await app.pool.query(`UPDATE sessions SET expires_at = now() + interval '5 seconds' WHERE id = $1`, [
    sessionOf(consumer),
  ]);
  expect(await statusOf(consumer)).toBe(200);
  await until(async () => (await statusOf(consumer)) === 401);
});

test('401 invalid_auth_token: what changed while the replica did not listen, once it does again', async () => {
  const consumer = await createSignedIn();
  const { pid } = await listening();
  // Sent before another listener can connect.
  await app.pool.query(
    `WITH ended AS (SELECT pg_terminate_backend(${pid}, 5000) AS is_gone)
     UPDATE sessions SET revoked_at = now() FROM ended WHERE is_gone AND id = '${sessionOf(consumer)}'`,
  );
  await until(async () => (await statusOf(consumer)) === 401);
});

test('401 invalid_auth_token: five seconds after it ended, when the connection that listens is deaf', async () => {
  const consumer = await createSignedIn();
  const { port } = await listening();
  proxy.mute(port);
  await app.pool.query('UPDATE sessions SET revoked_at = now() WHERE id = $1', [sessionOf(consumer)]);
  moveClock(5_001);
  expect(await statusOf(consumer)).toBe(401);
  // Heartbeats of a clock that is ahead are ignored too.
  await hearBeats(2);
  const another = await createSignedIn();
  moveClock(2 * 5_001);
  expect(await countReadings(() => statusOf(another))).toBe(1);
});
