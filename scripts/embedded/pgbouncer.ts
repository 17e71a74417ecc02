import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { findServer } from './installed';
import { lastLines, type ProcessGroup, type Running } from './processes';
import { untilReady } from './readiness';
import { findServerAccount, reachableFolder, type ServerAccount } from './serverAccount';

const readyWithinMs = 20_000;

export interface PoolerOptions {
  /** Of the program, from `findPgBouncer`. */
  program: string;
  dataFolder: string;
  port: number;
  /** The database as the role of API and worker. */
  databaseUrl: string;
  processes: ProcessGroup;
  logFile: string;
  /** The text of `deploy/pgbouncer.ini`. */
  settings: string;
  /** Takes the open connections of the running process over, which then ends. */
  takesOver?: boolean;
}

export interface RunningPooler extends Running {
  /** `DATABASE_URL` of an API and of a worker. */
  readonly url: string;
  readonly workerUrl: string;
}

/** The program of Debian's package `pgbouncer`, or the one that PGBOUNCER names. */
export function findPgBouncer(): string | undefined {
  return findServer('pgbouncer', process.env['PGBOUNCER']);
}

/** A PgBouncer of our own on 127.0.0.1, with the settings of `deploy/pgbouncer.ini`. */
export async function startPgBouncer(options: PoolerOptions): Promise<RunningPooler> {
  const { program, port, databaseUrl, processes, logFile, takesOver = false } = options;
  const account = await findServerAccount();
  const file = await writeSettings(options, account);
  const flags = takesOver ? ['--reboot'] : [];
  const running = await processes.start('PgBouncer', program, [...flags, file], { stopRank: 3, logFile, ...account });
  const urlOf = (database: string) => {
    const url = new URL(databaseUrl);
    Object.assign(url, { host: `127.0.0.1:${port}`, pathname: `/${database}` });
    return url.href;
  };
  const urls = { url: urlOf('paywall'), workerUrl: urlOf('paywall_worker') };
  try {
    await untilReady(running, () => connects(urls.url), readyWithinMs);
  } catch (error) {
    await running.stop();
    throw new Error(`PgBouncer did not start\n${lastLines(logFile)}`, { cause: error });
  }
  return { ...running, ...urls };
}

/** PgBouncer refuses to run as root, so its files belong to the account of PostgreSQL. */
async function writeSettings(options: PoolerOptions, account: ServerAccount | undefined): Promise<string> {
  const { dataFolder, port, databaseUrl } = options;
  await mkdir(dataFolder, { recursive: true });
  const folder = await reachableFolder(dataFolder, account);
  const [users, file] = [join(folder, 'userlist.txt'), join(folder, 'pgbouncer.ini')];
  const { hostname, port: databasePort, pathname, username, password } = new URL(databaseUrl);
  const database = `host=${hostname} port=${databasePort} dbname=${pathname.slice(1)}`;
  const settings = options.settings.replaceAll('host=postgres port=5432 dbname=paywall', database);
  // The last line of a setting counts. The socket serves the process that takes over.
  const own = `listen_addr = 127.0.0.1\nlisten_port = ${port}\nauth_file = ${users}\nunix_socket_dir = ${folder}\n`;
  await writeFile(file, `${settings}\n${own}`);
  await writeFile(users, `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`, { mode: 0o600 });
  for (const path of [folder, file, users]) if (account) await chown(path, account.uid, account.gid);
  await chmod(folder, 0o700);
  return file;
}

async function connects(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } finally {
    await client.end().catch(() => undefined);
  }
}
