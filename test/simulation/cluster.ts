import { join } from 'node:path';
import { findFreePort } from '../../scripts/embedded/ports';
import { type ProcessGroup } from '../../scripts/embedded/processes';
import { type ProgramOptions, startApi, startPaymentSimulator, startWorker } from '../../scripts/launcher/programs';
import { readSettings } from '../../scripts/launcher/settings';
import { Supervisor } from '../../scripts/launcher/supervisor';
import { type Place, preparePooler, prepareProxy, prepareTemporal } from './clusterParts';
import { behindRequests, type Programs } from './clusterPrograms';
import { prepareDatabase } from './databasePart';
import { Part } from './part';
import { type Served } from './simulate';

/** A part of the cluster that can be restarted while the others work. */
export interface Rollable {
  name: string;
  /** Resolves when the part works again. */
  restart(): Promise<void>;
}

export interface Cluster extends Served {
  /** In the order in which they are restarted. */
  parts: Rollable[];
  /** The addresses and the queues, for people. */
  facts: string[];
  stop(): Promise<void>;
}

/** What each of the three workers works on. Each queue has a worker that is not being restarted. */
const queues = ['interactive,webhooks', 'interactive,background', 'background,webhooks'];
const apiCount = 2;

/** Starts everything as `npm start` does, with two APIs behind HAProxy, three workers, and PgBouncer. */
export async function startCluster(
  programs: Programs,
  processes: ProcessGroup,
  tell: (line: string) => void,
): Promise<Cluster> {
  const supervisor = new Supervisor(processes, { tell, longestPauseMs: 1_000 });
  const place = { supervisor, settings: readSettings(process.env) };
  const { databaseUrls, postgres } = await prepareDatabase(supervisor);
  const pooler = await preparePooler(programs.pgbouncer, databaseUrls.runtime, place);
  const store = await prepareTemporal(programs.temporal, databaseUrls.owner, { ...place, tell });
  const ports = await Promise.all(Array.from({ length: apiCount }, findFreePort));
  const env = { ...environment(databaseUrls), DATABASE_URL: pooler.url, TEMPORAL_ADDRESS: store.address };
  const { provider, apis, workers } = prepareProcesses(place, { env, ports, workerUrl: pooler.workerUrl });
  // One after the other: the first API migrates the schema.
  for (const part of [provider, ...apis, ...workers]) await part.keep(supervisor);
  const proxy = await prepareProxy(programs.haproxy, ports, place);
  const restartedApis = apis.map((part, place): Rollable => ({
    name: part.name,
    restart: () => part.restart(supervisor).then(() => proxy.sendsTo(place)),
  }));
  const restarted = (part: Part): Rollable => ({ name: part.name, restart: () => part.restart(supervisor) });
  const all = [postgres, store.part, provider, ...apis, ...workers, proxy.part, pooler.part];
  return {
    addresses: [proxy.address],
    databaseUrl: databaseUrls.owner,
    isUp: () => all.every(({ pid }) => pid !== undefined),
    parts: [...restartedApis, ...workers.map(restarted), proxy, pooler, restarted(store.part)],
    facts: [
      `HAProxy      ${proxy.address}`,
      ...ports.map((port, index) => `API ${index + 1}        http://127.0.0.1:${port}`),
      ...queues.map((some, index) => `Worker ${index + 1}     ${some}`),
      ...serverFacts(pooler.url, databaseUrls.owner, store.fact),
      `Logs         ${join(place.settings.dataFolder, 'logs')}`,
    ],
    stop: () => supervisor.stopAll(),
  };
}

const environment = ({ runtime, owner }: { runtime: string; owner: string }) => ({
  ...process.env,
  DATABASE_DIRECT_URL: runtime,
  MIGRATION_DATABASE_URL: owner,
  TRUSTED_PROXIES: 'loopback',
  // As long as HAProxy needs to notice.
  SHUTDOWN_DELAY_SECONDS: '3',
});

const serverFacts = (pooler: string, database: string, temporal: string) => [
  `PgBouncer    127.0.0.1:${new URL(pooler).port}`,
  `PostgreSQL   127.0.0.1:${new URL(database).port}`,
  `Temporal     ${temporal}`,
];

interface Facts {
  env: ProgramOptions['env'];
  ports: number[];
  /** `DATABASE_URL` of a worker. */
  workerUrl: string;
}

function prepareProcesses({ supervisor, settings }: Place, { env, ports, workerUrl }: Facts) {
  const { processes } = supervisor;
  const apis = ports.map((port, index) => {
    const own = { ...settings, apiUrl: `http://127.0.0.1:${port}` };
    const apiEnv = { ...env, PORT: String(port), METRICS_PORT: '0' };
    return new Part(`API ${index + 1}`, () => startApi({ processes, settings: own, env: apiEnv }));
  });
  const workers = queues.map((some, index) => {
    const workerEnv = { ...env, DATABASE_URL: workerUrl, WORKER_QUEUES: some };
    return new Part(`Worker ${index + 1}`, () =>
      startWorker({ processes, settings, env: workerEnv, niceness: behindRequests }),
    );
  });
  const provider = new Part('Payment provider', () =>
    startPaymentSimulator({ processes, settings, env }, process.env['SANDBOX_API_BASE'] ?? ''),
  );
  return { apis, workers, provider };
}
