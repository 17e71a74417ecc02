import { execFile } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFreePort } from '../../scripts/embedded/ports';
import { startPostgres } from '../../scripts/embedded/postgres';
import { type ProcessGroup, type Running } from '../../scripts/embedded/processes';
import { startTemporal } from '../../scripts/embedded/temporal';
import { storeSettings } from '../../scripts/storeSimulator/settings';
import { startApi, startPaymentSimulator, startStoreSimulator, startWorker } from '../../scripts/launcher/programs';
import { readSettings } from '../../scripts/launcher/settings';
import { Supervisor } from '../../scripts/launcher/supervisor';
import { type Disk } from '../degraded/disk';
import { type CommitCut, startCommitProxy } from '../support/commitProxy';
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
  /** Of PostgreSQL. Undefined: its faults cannot be caused here. */
  disk: Disk | undefined;
  cutAt(cut: CommitCut | undefined): void;
  cuts(): number;
  isUp(): boolean;
  stop(): Promise<void>;
}

/** A part that a supervisor keeps running. */
export class Part {
  private running: Running | undefined;

  constructor(
    readonly name: string,
    private readonly begin: () => Promise<Running>,
  ) {}

  async keep(supervisor: Supervisor): Promise<void> {
    await supervisor.keep(this.name, async () => {
      const running = await this.begin();
      this.running = running;
      void running.ended.then(() => (this.running = undefined));
      return running;
    });
  }

  get pid(): number | undefined {
    return this.running?.pid;
  }

  /** Asks it to stop, and resolves when it runs again. */
  async restart(supervisor: Supervisor): Promise<void> {
    const before = this.running;
    supervisor.expectEnd(this.name);
    await before?.stop();
    await this.isReplaced(before?.pid);
  }

  async isReplaced(pid: number | undefined): Promise<void> {
    while (this.pid === undefined || this.pid === pid) await sleep(50);
  }
}

/**
 * Starts the parts like `npm start` does, with two APIs and two workers, and a proxy between the APIs and PostgreSQL. `disk`:
 * PostgreSQL waits for its disk, and gets these settings.
 */
export async function startService(
  processes: ProcessGroup,
  tell: (line: string) => void,
  disk?: Disk,
): Promise<Service> {
  const supervisor = new Supervisor(processes, { tell, longestPauseMs: 1_000 });
  const { databaseUrls, postgres } = await prepareDatabase(supervisor, disk);
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
  const apis = ports.map((port, index) => {
    const own = { ...settings, apiUrl: addresses[index] ?? '' };
    const apiEnv = { ...env, DATABASE_URL: proxy.url, PORT: String(port), METRICS_PORT: '0' };
    return new Part(`API ${index + 1}`, () => startApi({ processes, settings: own, env: apiEnv }));
  });
  const workers = Array.from(
    { length: replicas },
    (_, index) => new Part(`Worker ${index + 1}`, () => startWorker({ processes, settings, env })),
  );
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

export async function prepareDatabase(supervisor: Supervisor, disk?: Disk) {
  const settings = readSettings(process.env);
  const port = await findFreePort();
  const databaseUrls = { owner: '', runtime: '' };
  const postgres = new Part('PostgreSQL', async () => {
    const dataFolder = join(settings.dataFolder, 'postgres');
    const options = { dataFolder, port, logFile: settings.logFile('postgres'), throwaway: !disk, env: disk?.env };
    const running = await startPostgres({ ...options, processes: supervisor.processes });
    Object.assign(databaseUrls, { owner: running.url, runtime: running.runtimeUrl });
    return running;
  });
  await postgres.keep(supervisor);
  return { databaseUrls, postgres };
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

/** False if the process has ended already. */
function signal(pid: number | undefined, name: NodeJS.Signals): boolean {
  try {
    return pid !== undefined && process.kill(pid, name);
  } catch {
    return false;
  }
}

/** With the processes that it has started: those of PostgreSQL serve one connection each. */
async function freeze(pid: number | undefined): Promise<(() => void) | undefined> {
  if (!signal(pid, 'SIGSTOP')) return undefined;
  const { stdout } = await execute('pgrep', ['-P', String(pid)]).catch(() => ({ stdout: '' }));
  const children = stdout.split('\n').filter(Boolean).map(Number);
  for (const child of children) signal(child, 'SIGSTOP');
  return () => {
    for (const one of [...children, pid]) signal(one, 'SIGCONT');
  };
}
