import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import { findPgBouncer, type RunningPooler, startPgBouncer } from '../../scripts/embedded/pgbouncer';
import { findFreePort } from '../../scripts/embedded/ports';
import { ProcessGroup } from '../../scripts/embedded/processes';

const program = findPgBouncer();

/** `describe` where PgBouncer is installed; elsewhere its tests are skipped under a title that says what is missing. */
export function describeWithPooler(title: string, tests: () => void): void {
  if (program !== undefined) return describe(title, tests);
  describe.skip(`${title} (skipped: no PgBouncer is found; install it, or set PGBOUNCER to its path)`, tests);
}

interface Pool {
  clients: number;
  servers: number;
}

export interface TestPooler {
  /** The settings of an API and of a worker behind it. */
  api: Record<string, string>;
  worker: Record<string, string>;
  /** The connections of APIs, and those to PostgreSQL that they share. */
  count(): Promise<Pool>;
  /** Ends it without a word. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Another process takes the open connections over. */
  replace(): Promise<void>;
  stop(): Promise<void>;
}

const deployed = readFileSync(resolve(__dirname, '../../deploy/pgbouncer.ini'), 'utf8');

/** PgBouncer between this file's database and the processes. `change` changes the settings of `deploy`. */
export async function startPooler(change: (settings: string) => string): Promise<TestPooler> {
  const folder = await mkdtemp(join(tmpdir(), 'paywall-pooler-'));
  await chmod(folder, 0o755);
  const databaseUrl = process.env['DATABASE_URL'] ?? '';
  const { username } = new URL(databaseUrl);
  const processes = new ProcessGroup({ removeFolder: folder });
  const options = {
    program: program ?? '',
    dataFolder: join(folder, 'pgbouncer'),
    port: await findFreePort(),
    databaseUrl,
    processes,
    logFile: join(folder, 'pgbouncer.log'),
    settings: `${change(deployed)}\nstats_users = ${username}\n`,
  };
  let running: RunningPooler = await startPgBouncer(options);
  const { url, workerUrl } = running;
  return {
    api: { DATABASE_URL: url, DATABASE_DIRECT_URL: databaseUrl },
    worker: { DATABASE_URL: workerUrl, DATABASE_DIRECT_URL: databaseUrl },
    count: () => countConnections(url),
    kill: async () => {
      process.kill(running.pid, 'SIGKILL');
      await running.ended;
    },
    start: async () => void (running = await startPgBouncer(options)),
    replace: async () => {
      const old = running;
      running = await startPgBouncer({ ...options, takesOver: true });
      await old.ended;
    },
    stop: async () => {
      await processes.stopAll();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function countConnections(url: string): Promise<Pool> {
  const client = new Client(Object.assign(new URL(url), { pathname: '/pgbouncer' }).href);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, string>>('SHOW POOLS');
    const own = rows.find(({ database }) => database === 'paywall') ?? {};
    const sum = (prefix: string) =>
      Object.keys(own)
        .filter((name) => name.startsWith(prefix))
        .reduce((total, name) => total + Number(own[name]), 0);
    return { clients: sum('cl_'), servers: sum('sv_') };
  } finally {
    await client.end();
  }
}
