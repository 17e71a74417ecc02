import { mkdtempSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { Supervisor } from '../../scripts/launcher/supervisor';
import { findFreePort } from '../../scripts/embedded/ports';
import { startPostgres } from '../../scripts/embedded/postgres';
import { ProcessGroup, type Running } from '../../scripts/embedded/processes';
import { startTemporal } from '../../scripts/embedded/temporal';
import { migrate } from '../../src/adapters/postgres/migrate';
import { call } from '../support/client';
import { createTestDatabase } from '../support/database';
import { createConsumer, createShop, reaches, subscribe, type Shop } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

/** The supervisor restarts the servers of `npm start` when they are killed. */

/** A server that the supervisor runs. */
interface KeptPart {
  /** Kills the process; the next start waits for `letBack`. */
  kill: () => Promise<void>;
  letBack: () => void;
}

const supervisor = new Supervisor(new ProcessGroup());
const said: string[] = [];
let app: TestApp;
let shop: Shop;
let database: KeptPart;
let temporal: KeptPart;

async function keep<T extends Running>(name: string, begin: () => Promise<T>): Promise<[T, KeptPart]> {
  let running: T | undefined;
  let gate = Promise.resolve();
  let open = () => {};
  const first = await supervisor.keep(name, async () => {
    await gate;
    return (running = await begin());
  });
  const kill = async () => {
    gate = new Promise((resolve) => (open = resolve));
    process.kill((running ?? first).pid, 'SIGKILL');
    await (running ?? first).ended;
  };
  return [first, { kill, letBack: () => open() }];
}

beforeAll(async () => {
  jest.spyOn(console, 'log').mockImplementation((line: string) => void said.push(line));
  const { processes } = supervisor;
  const folder = mkdtempSync(join(process.env['TEST_DATA_DIR'] ?? '', 'supervised-'));
  chmodSync(folder, 0o755);
  const [databasePort, port] = [await findFreePort(), await findFreePort()];
  const [server, keptDatabase] = await keep('PostgreSQL', () =>
    startPostgres({ dataFolder: join(folder, 'postgres'), port: databasePort, processes }),
  );
  const [{ address }, keptTemporal] = await keep('Temporal', () =>
    startTemporal({
      port,
      databaseFile: join(folder, 'temporal.db'),
      logFile: join(folder, 'temporal.log'),
      processes,
    }),
  );
  database = keptDatabase;
  temporal = keptTemporal;
  const own = new URL(server.url);
  own.pathname = '/service';
  process.env['TEST_DATABASE_ADMIN_URL'] = server.url;
  const migrated = new URL(server.url);
  migrated.pathname = '/migrated';
  await createTestDatabase(migrated.href, 'template0');
  await migrate(migrated.href);
  process.env['TEST_TEMPLATE_DATABASE'] = 'migrated';
  app = await startApp({ DATABASE_URL: own.href, TEMPORAL_ADDRESS: address });
  await app.startWorker();
  shop = await createShop(app);
});

afterAll(async () => {
  await app.stop();
  await supervisor.stopAll();
  jest.restoreAllMocks();
});

/** A consumer buys and gets access. */
async function buys(): Promise<void> {
  const consumer = await createConsumer(app, shop.merchant);
  const { status, body } = await subscribe(app, { ...shop, consumer });
  expect(status).toBe(202);
  await reaches(app, consumer, body.subscription_id, 'active');
}

const isServed = async () => (await call(app, 'GET', '/accounts', undefined, shop.consumer)).status === 200;

test('503 service_unavailable: PostgreSQL is killed; after its restart a purchase works', async () => {
  await buys();
  await database.kill();
  // A whole purchase: a request that is refused for its fields may be answered without the database.
  const { status, headers } = await subscribe(app, shop);
  expect(status).toBe(503);
  expect(headers.get('retry-after')).not.toBeNull();
  expect((await call(app, 'GET', '/health/live')).status).toBe(200);
  database.letBack();
  await until(isServed);
  await buys();
  expect(said).toContain('PostgreSQL ended unexpectedly (SIGKILL): starting it again in 0.5 s');
  await until(() => said.filter((line) => line.startsWith('PostgreSQL is ready')).length === 2);
});

test('202: a purchase while Temporal is killed; it succeeds after the restart', async () => {
  await temporal.kill();
  const consumer = await createConsumer(app, shop.merchant);
  const { status, body } = await subscribe(app, { ...shop, consumer });
  expect(status).toBe(202);
  temporal.letBack();
  await reaches(app, consumer, body.subscription_id, 'active');
  await buys();
  expect(said).toContain('Temporal ended unexpectedly (SIGKILL): starting it again in 0.5 s');
});
