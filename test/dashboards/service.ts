import { findFreePort } from '../../scripts/embedded/ports';
import { asRuntimeRole, createRuntimeRole } from '../../scripts/embedded/postgres';
import { startApi, startPaymentSimulator, startWorker } from '../../scripts/launcher/programs';
import { readSettings } from '../../scripts/launcher/settings';
import { type Supervisor } from '../../scripts/launcher/supervisor';
import { Part } from '../simulation/part';
import { prepareStore } from '../simulation/service';
import { type Served } from '../simulation/simulate';
import { DatabaseServer } from '../support/databaseServer';
import { type Scraped } from './prometheus';

/** A service whose metrics all have a value: two APIs, two workers, a replica for the reports, and backups. */
export interface ObservedService extends Served {
  scraped: Scraped;
  /** `npm run backup`. */
  backUp(): Promise<string>;
  stop(): Promise<void>;
}

const replicas = 2;
const database = 'paywall';
const password = 'observed-service';

/** `postgres`: the folder of a complete PostgreSQL. `mailUrl`: SMTP_URL. */
export async function startObserved(
  supervisor: Supervisor,
  { postgres, mailUrl, tell }: { postgres: string; mailUrl: string; tell: (line: string) => void },
): Promise<ObservedService> {
  const primary = await DatabaseServer.create(postgres);
  await primary.start();
  await primary.query(`CREATE DATABASE ${database}`);
  await createRuntimeRole(primary.url, password);
  const standby = await primary.addStandby();
  const removeServers = () => standby.remove().then(() => primary.remove());
  // These servers are outside the group of processes that a signal stops.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void removeServers());
  const urlOf = (server: DatabaseServer) => Object.assign(new URL(server.url), { pathname: `/${database}` }).href;
  const store = await prepareStore(supervisor, tell);
  const parts = await prepareProcesses(supervisor, {
    ...process.env,
    DATABASE_URL: asRuntimeRole(urlOf(primary), password),
    DATABASE_REPORTS_URL: asRuntimeRole(urlOf(standby), password),
    MIGRATION_DATABASE_URL: urlOf(primary),
    TEMPORAL_ADDRESS: store.address,
    SMTP_URL: mailUrl,
  });
  for (const part of parts.inOrder) await part.keep(supervisor);
  return {
    addresses: parts.addresses,
    databaseUrl: urlOf(primary),
    scraped: parts.scraped,
    isUp: () => [store.part, ...parts.inOrder].every(({ pid }) => pid !== undefined),
    backUp: () => primary.script('backup.sh', [], { PGDATABASE: database }),
    stop: async () => {
      await supervisor.stopAll();
      await removeServers();
    },
  };
}

/** The parts in the order of their starts: the first API migrates the schema. */
async function prepareProcesses(supervisor: Supervisor, env: NodeJS.ProcessEnv & { TEMPORAL_ADDRESS: string }) {
  const { processes } = supervisor;
  const settings = readSettings(process.env);
  const findPorts = () => Promise.all(Array.from({ length: replicas }, findFreePort));
  const [ports, apiMetrics, workerMetrics] = [await findPorts(), await findPorts(), await findPorts()];
  const addresses = ports.map((port) => `http://127.0.0.1:${port}`);
  const apis = ports.map((port, index) => {
    const own = { ...settings, apiUrl: addresses[index] ?? '' };
    const apiEnv = { ...env, PORT: String(port), METRICS_PORT: String(apiMetrics[index]) };
    return new Part(`API ${index + 1}`, () => startApi({ processes, settings: own, env: apiEnv }));
  });
  const workers = workerMetrics.map((port, index) => {
    const workerEnv = { ...env, WORKER_METRICS_PORT: String(port) };
    return new Part(`Worker ${index + 1}`, () => startWorker({ processes, settings, env: workerEnv }));
  });
  const provider = new Part('Payment provider', () =>
    startPaymentSimulator({ processes, settings, env }, process.env['SANDBOX_API_BASE'] ?? ''),
  );
  const at = (port: number) => `127.0.0.1:${port}`;
  return {
    inOrder: [provider, ...apis, ...workers],
    addresses,
    scraped: { 'paywall-api': apiMetrics.map(at), 'paywall-worker': workerMetrics.map(at) },
  };
}
