import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { findFreePort } from '../../scripts/embedded/ports';
import { type Proxy, startProxy } from '../support/proxy';
import { startApp, type TestApp } from '../support/startApp';
import { type OwnTemporal, startOwnTemporal } from '../support/temporalServer';
import { until } from '../support/until';

/** The probes of a worker process, whose database and Temporal go away and come back. */

let temporal: OwnTemporal;
let app: TestApp;
let database: Proxy;
let worker: ChildProcess;
let address: string;
let metricsPort: number;

beforeAll(async () => {
  temporal = await startOwnTemporal();
  app = await startApp({ TEMPORAL_ADDRESS: temporal.address });
  database = await startProxy(process.env['DATABASE_URL'] ?? '');
  await temporal.kill();
  const port = await findFreePort();
  metricsPort = await findFreePort();
  address = `http://127.0.0.1:${port}`;
  worker = spawn(process.execPath, [resolve(__dirname, '../../dist/workers/main.js')], {
    env: {
      ...process.env,
      DATABASE_URL: database.url,
      WORKER_HEALTH_PORT: String(port),
      WORKER_METRICS_PORT: String(metricsPort),
    },
    stdio: 'inherit',
  });
});

afterAll(async () => {
  worker.kill('SIGKILL');
  await app.stop();
  await database.stop();
  await temporal.stop();
});

async function ask(path: string) {
  const answer = await fetch(`${address}${path}`);
  return { status: answer.status, body: await answer.json() };
}

const isReady = () => until(async () => (await ask('/health/ready')).status === 200);
const refuses = (explain: string) =>
  until(async () => {
    const { status, body } = await ask('/health/ready');
    return status === 503 && (body as { explain: string }).explain === explain;
  });

test('a worker that waits for Temporal is live and not ready, and is ready when it polls', async () => {
  await until(() => ask('/health/live').catch(() => undefined));
  expect(await ask('/health/live')).toEqual({ status: 200, body: { status: 'live' } });
  await refuses('The worker does not poll.');
  await temporal.start();
  await isReady();
  expect((await ask('/health/ready')).body).toEqual({ status: 'ready', database: 'up', temporal: 'up' });
});

test('one port has the metrics of the process and those of Temporal’s SDK, each once', async () => {
  const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  expect(answer.status).toBe(200);
  const names = [...(await answer.text()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(names).toEqual([...new Set(names)]);
  expect(names).toContain('paywall_charges_total');
  expect(names).toContain('paywall_database_connections');
  expect(names).toContain('temporal_num_pollers');
  // The figures of the installation come from the APIs.
  expect(names).not.toContain('paywall_outbox_parked');
});

test('404: another path', async () => expect((await ask('/metrics')).status).toBe(404));

test('503: the database is away, and the worker is ready again when it is back', async () => {
  database.cut();
  await refuses('The database does not answer.');
  expect((await ask('/health/live')).status).toBe(200);
  database.restore();
  await isReady();
});

test('503: Temporal is away, and the worker is ready again when it is back', async () => {
  await temporal.kill();
  await refuses('Temporal does not answer.');
  await temporal.start();
  await isReady();
});

test('503: a worker that was asked to stop, until it has stopped', async () => {
  // The worker cannot end its polls while Temporal is frozen.
  temporal.freeze();
  const ended = once(worker, 'exit');
  worker.kill('SIGTERM');
  await refuses('The worker does not poll.');
  expect((await ask('/health/live')).status).toBe(200);
  temporal.thaw();
  expect(await ended).toEqual([0, null]);
});
