import { execFile } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '../../scripts/embedded/ports';
import { type ProcessGroup } from '../../scripts/embedded/processes';
import { startTemporal } from '../../scripts/embedded/temporal';
import { storeSettings } from '../../scripts/storeSimulator/settings';
import { startApi, startPaymentSimulator, startStoreSimulator, startWorker } from '../../scripts/launcher/programs';
import { readSettings } from '../../scripts/launcher/settings';
import { Supervisor } from '../../scripts/launcher/supervisor';
import { type Disk } from '../degraded/disk';
import { type CommitCut, startCommitProxy } from '../support/commitProxy';
import { prepareDatabase, type Machine } from './databasePart';
import { freeze, Part, signal } from './part';
import { type Target } from './schedule';

const execute = promisify(execFile);
const replicas = 2;

/** The whole service in processes of its own. Each of them can be killed and frozen, and is started again. */
export interface Service {
  /** The APIs. */
  addresses: string[];
  /** The app stores. */
  storesUrl: string;
  /** Of the owner of the tables, without the proxy. */
  databaseUrl: string;
  /** Of the role of API and worker, without the proxy. */
  runtimeUrl: string;
  kill(target: Target, replica: number): boolean;
  /** Kills a part or asks it to stop. Resolves when it runs again. */
  restart(target: Target, replica: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Returns a function that lets the processes continue; undefined if the part is not running. */
  freeze(target: Target, replica: number): Promise<(() => void) | undefined>;
  /** Kills Temporal and deletes its store. */
  loseStore(): boolean;
  /** Kills Temporal and restores its store as it was at the start before. */
  restoreStore(): boolean;
  /** The clock of an API, a worker or PostgreSQL differs by so many seconds. False: it cannot be set. */
  jumpClock(target: Target, replica: number, seconds: number): Promise<boolean>;
  /** Restarts PostgreSQL, and copies its files meanwhile. */
  backUp(): Promise<void>;
  /** The time of the copy. Undefined: there is none. */
  backupAt(): Date | undefined;
  /** Restarts PostgreSQL with the copy. */
  restoreBackup(): Promise<void>;
  /** Runs a program of `dist` with the settings of a worker. Returns what it prints. */
  command(script: string, args: readonly string[], input?: string): Promise<string>;
  /** Of PostgreSQL. Undefined: its faults cannot be caused here. */
  disk: Disk | undefined;
  cutAt(cut: CommitCut | undefined): void;
  cuts(): number;
  isUp(): boolean;
  stop(): Promise<void>;
}

/**
 * Starts the parts like `npm start` does, with two APIs and two workers, and a proxy between the APIs and PostgreSQL.
 */
export async function startService(
  processes: ProcessGroup,
  tell: (line: string) => void,
  { disk, clocks }: Machine = {},
): Promise<Service> {
  const supervisor = new Supervisor(processes, { tell, longestPauseMs: 1_000 });
  const { databaseUrls, postgres, startWith } = await prepareDatabase(supervisor, { disk, clocks });
  const proxy = await startCommitProxy(databaseUrls.runtime);
  const store = await prepareStore(supervisor, tell);
  const ports = [Number(process.env['PORT']), await findFreePort()];
  const { storesUrl, storeEnv, stores } = await prepareStores(processes, `http://127.0.0.1:${ports[0]}`);
  const env = {
    ...process.env,
    ...storeEnv,
    DATABASE_URL: databaseUrls.runtime,
    MIGRATION_DATABASE_URL: databaseUrls.owner,
    TEMPORAL_ADDRESS: store.address,
  };
  const settings = readSettings(process.env);
  const addresses = ports.map((port) => `http://127.0.0.1:${port}`);
  const clockEnv = async (name: string) => (clocks ? await clocks.envOf(name) : {});
  const apis = ports.map((port, index) => {
    const own = { ...settings, apiUrl: addresses[index] ?? '' };
    const apiEnv = { ...env, DATABASE_URL: proxy.url, PORT: String(port), METRICS_PORT: '0' };
    const name = `API ${index + 1}`;
    const start = async () => startApi({ processes, settings: own, env: { ...apiEnv, ...(await clockEnv(name)) } });
    return new Part(name, start);
  });
  const workers = Array.from({ length: replicas }, (_, index) => {
    const name = `Worker ${index + 1}`;
    return new Part(name, async () => startWorker({ processes, settings, env: { ...env, ...(await clockEnv(name)) } }));
  });
  const provider = new Part('Payment provider', () =>
    startPaymentSimulator({ processes, settings, env }, process.env['SANDBOX_API_BASE'] ?? ''),
  );
  // One after the other: the first API migrates the schema.
  for (const part of [stores(env), provider, ...apis, ...workers]) await part.keep(supervisor);
  const parts: Record<Target, Part[]> = {
    API: apis,
    worker: workers,
    PostgreSQL: [postgres],
    Temporal: [store.part],
    provider: [provider],
  };
  const partOf = (target: Target, replica: number) => parts[target][replica % parts[target].length];
  const pidOf = (target: Target, replica: number) => partOf(target, replica)?.pid;
  let backupAt: Date | undefined;
  const kill = (target: Target, replica: number) => signal(pidOf(target, replica), 'SIGKILL');
  return {
    addresses,
    storesUrl,
    databaseUrl: databaseUrls.owner,
    runtimeUrl: databaseUrls.runtime,
    kill,
    restart: async (target, replica, signalName) => {
      const part = partOf(target, replica);
      const before = part?.pid;
      if (signalName === 'SIGTERM') return part?.restart(supervisor);
      kill(target, replica);
      await part?.isReplaced(before);
    },
    freeze: (target, replica) => freeze(pidOf(target, replica)),
    loseStore: () => {
      store.startWith('nothing');
      return kill('Temporal', 0);
    },
    restoreStore: () => {
      store.startWith('older');
      return kill('Temporal', 0);
    },
    jumpClock: async (target, replica, seconds) => {
      const part = partOf(target, replica);
      if (!clocks || part?.pid === undefined) return false;
      await clocks.set(part.name, seconds);
      return true;
    },
    backUp: async () => {
      backupAt = new Date();
      startWith('copied');
      await postgres.restart(supervisor);
    },
    backupAt: () => backupAt,
    restoreBackup: async () => {
      startWith('restored');
      await postgres.restart(supervisor);
    },
    command: (script, args, input) => runCommand(env, script, args, input),
    disk,
    cutAt: (cut) => proxy.cutAt(cut),
    cuts: () => proxy.cuts(),
    isUp: () => Object.values(parts).every((some) => some.every(({ pid }) => pid !== undefined)),
    stop: async () => {
      await supervisor.stopAll();
      await proxy.stop();
    },
  };
}

/** The app stores send their notifications to the given API. Their purchases are in memory, so they are not killed. */
async function prepareStores(processes: ProcessGroup, paywall: string) {
  const settings = readSettings(process.env);
  const port = await findFreePort();
  const storesUrl = `http://127.0.0.1:${port}`;
  const roots = join(settings.dataFolder, 'store-simulator-root.pem');
  const own = { BASE_URL: paywall, STORE_SIMULATOR_PORT: String(port), STORE_SIMULATOR_ROOTS: roots };
  const stores = (env: NodeJS.ProcessEnv & { TEMPORAL_ADDRESS: string }) =>
    new Part('App stores', () => startStoreSimulator({ processes, settings, env: { ...env, ...own } }, storesUrl));
  return { storesUrl, storeEnv: storeSettings(storesUrl, roots), stores };
}

async function runCommand(
  env: NodeJS.ProcessEnv,
  script: string,
  args: readonly string[],
  input = '',
): Promise<string> {
  const running = execute(process.execPath, [join(__dirname, '../..', script), ...args], { env });
  running.child.stdin?.end(input);
  return (await running).stdout;
}

export async function prepareStore(supervisor: Supervisor, say: (line: string) => void) {
  const settings = readSettings(process.env);
  const port = await findFreePort();
  const databaseFile = join(settings.dataFolder, 'temporal.db');
  let next: 'same' | 'nothing' | 'older' = 'same';
  const part = new Part('Temporal', async () => {
    const store = next;
    next = 'same';
    if (store === 'nothing') await removeStore(databaseFile);
    await (store === 'older'
      ? copyStore(`${databaseFile}.older`, databaseFile)
      : copyStore(databaseFile, `${databaseFile}.older`));
    const options = { port, databaseFile, logFile: settings.logFile('temporal'), say };
    return startTemporal({ ...options, processes: supervisor.processes });
  });
  await part.keep(supervisor);
  return {
    address: `127.0.0.1:${port}`,
    part,
    /** With which store Temporal starts the next time. */
    startWith: (store: 'nothing' | 'older') => (next = store),
  };
}

/** SQLite's database and the journal that belongs to it. The third file is an index, which SQLite writes again. */
const storeFiles = ['', '-wal'];

async function removeStore(file: string): Promise<void> {
  for (const end of [...storeFiles, '-shm']) await rm(`${file}${end}`, { force: true });
}

/** Of a server that does not run. */
async function copyStore(from: string, to: string): Promise<void> {
  await removeStore(to);
  for (const end of storeFiles)
    await cp(`${from}${end}`, `${to}${end}`).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
}
