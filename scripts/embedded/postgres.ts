import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { type PostgresBinaries, findPostgresBinaries } from './postgresBinaries';
import { type ServerAccount, findServerAccount, reachableFolder, runAs } from './serverAccount';
import { ProcessGroup, type Running, lastLines } from './processes';
import { findCommand, stopProcess } from './processTable';

const name = 'paywall';
const runtimeRole = 'paywall_app';
const readyWithinMs = 60_000;

/** PostgreSQL's error code while it starts or recovers. */
const cannotConnectNow = '57P03';

export interface PostgresOptions {
  dataFolder: string;
  port: number;
  logFile?: string;
  /** For tests: does not wait for the disk. All data is lost if the machine (not the process) stops. */
  throwaway?: boolean;
  /** For tests: further settings of the environment. */
  env?: Record<string, string> | undefined;
  processes?: ProcessGroup;
}

export interface RunningPostgres extends Running {
  /** The URL of the database `paywall` as its owner, who may create others. */
  readonly url: string;
  /** The same as the role of API and worker, which owns nothing. */
  readonly runtimeUrl: string;
}

/**
 * A PostgreSQL of our own on 127.0.0.1. The binaries come from npm and are started here rather than through their
 * package's API, which stops the database at the first signal, before the API and the worker have drained.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const account = await findServerAccount();
  await mkdir(options.dataFolder, { recursive: true });
  const home = await reachableFolder(options.dataFolder, account);
  const cluster = join(home, 'cluster');
  const logFile = options.logFile ?? join(options.dataFolder, 'postgres.log');
  const binaries = await findPostgresBinaries(account, await findClusterVersion(cluster));
  if (!existsSync(cluster)) await createCluster(home, binaries, account);
  await stopLeftover(cluster);
  const processes = options.processes ?? new ProcessGroup();
  const running = await processes.start('PostgreSQL', binaries.postgres, serverArguments(cluster, options), {
    stopRank: 4,
    stopSignal: 'SIGINT',
    cwd: home,
    env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC', ...options.env },
    logFile,
    ...account,
  });
  const password = (await readFile(join(home, 'password'), 'utf8')).trim();
  const addressOf = (database: string) => `postgres://${name}:${password}@127.0.0.1:${options.port}/${database}`;
  try {
    await createDatabase(addressOf('postgres'), running);
    await createRuntimeRole(addressOf('postgres'), password);
  } catch (error) {
    await running.stop();
    throw new Error(
      `PostgreSQL did not start: ${error instanceof Error ? error.message : String(error)}\n${lastLines(logFile)}`,
      { cause: error },
    );
  }
  return { ...running, url: addressOf(name), runtimeUrl: asRuntimeRole(addressOf(name), password) };
}

function serverArguments(cluster: string, { port, throwaway = false }: PostgresOptions): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    timezone: 'UTC',
    ...(throwaway ? { fsync: 'off', full_page_writes: 'off', max_wal_size: '256MB' } : {}),
  };
  const flags = Object.entries(settings).flatMap(([setting, value]) => ['-c', `${setting}=${value}`]);
  return ['-D', cluster, '-p', String(port), ...flags];
}

async function findClusterVersion(cluster: string): Promise<number | undefined> {
  const path = join(cluster, 'PG_VERSION');
  return existsSync(path) ? Number.parseInt(await readFile(path, 'utf8'), 10) : undefined;
}

/** Created under another name and renamed when complete, so that an interrupted one is never taken for a database. */
async function createCluster(home: string, binaries: PostgresBinaries, account: ServerAccount | undefined) {
  const unfinished = join(home, 'cluster.unfinished');
  const passwordFile = join(home, 'password');
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  if (account) for (const path of [unfinished, passwordFile]) await chown(path, account.uid, account.gid);
  const flags = ['--auth=scram-sha-256', `--username=${name}`, `--pwfile=${passwordFile}`, '--encoding=UTF8'];
  await runAs(account, binaries.initdb, [`--pgdata=${unfinished}`, ...flags, '--locale=C'], home);
  await chmod(passwordFile, 0o600);
  await rename(unfinished, join(home, 'cluster'));
}

/** The server of a killed launcher still uses the cluster. A crashed server has only left its pid file. */
async function stopLeftover(cluster: string): Promise<void> {
  const note = join(cluster, 'postmaster.pid');
  if (!existsSync(note)) return;
  const pid = Number.parseInt(await readFile(note, 'utf8'), 10);
  if (findCommand(pid)?.includes(cluster)) await stopProcess(pid, { signal: 'SIGINT', withinMs: 15_000 });
  await rm(note, { force: true });
}

/** Several runs of the tests may share one server. */
const roleLock = 7_233_543_302;

/**
 * Creates the role of API and worker. The server's log contains no rows and no texts of its failed statements, because
 * these may be personal data.
 */
export async function createRuntimeRole(adminUrl: string, password: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [roleLock]);
    const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [runtimeRole]);
    await client.query(
      `${rowCount === 0 ? 'CREATE' : 'ALTER'} ROLE ${runtimeRole} LOGIN PASSWORD ${client.escapeLiteral(password)}`,
    );
    await client.query(`ALTER ROLE ${runtimeRole} SET log_error_verbosity = terse`);
    await client.query(`ALTER ROLE ${runtimeRole} SET log_min_error_statement = panic`);
  } finally {
    await client.end();
  }
}

/** The same address for the role of API and worker. */
export function asRuntimeRole(url: string, password: string): string {
  const address = new URL(url);
  address.username = runtimeRole;
  address.password = password;
  return address.href;
}

async function createDatabase(adminUrl: string, running: Running): Promise<void> {
  const client = await connect(adminUrl, running);
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
}

/**
 * Connects as soon as the server accepts connections. Gives up if the server has ended or does not answer for too long. A
 * server in recovery is given all the time it needs, because a stopped recovery starts again from the beginning.
 */
async function connect(url: string, running: Running): Promise<Client> {
  let howItEnded: string | undefined;
  void running.ended.then((how) => (howItEnded = how));
  for (let deadline = Date.now() + readyWithinMs; ; await sleep(20)) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (howItEnded !== undefined) throw new Error(howItEnded, { cause: error });
      if (codeOf(error) === cannotConnectNow) deadline = Date.now() + readyWithinMs;
      if (Date.now() > deadline || !isStarting(error)) throw error;
    }
  }
}

function isStarting(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === cannotConnectNow;
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}
