import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, chown, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { findFreePort } from '../../scripts/embedded/ports';
import { findServerAccount, type ServerAccount } from '../../scripts/embedded/serverAccount';
import { until } from './until';

const execute = promisify(execFile);
const password = 'server-of-a-test';

/** The folder of a complete PostgreSQL: the binaries from npm lack `pg_basebackup` and `pg_verifybackup`. */
export function findServerPrograms(): string | undefined {
  const parent = '/usr/lib/postgresql';
  const versions = existsSync(parent) ? readdirSync(parent).sort().reverse() : [];
  const folders = [
    ...versions.map((version) => join(parent, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  const needed = ['initdb', 'postgres', 'pg_basebackup', 'pg_verifybackup', 'pg_archivecleanup'];
  return folders.find((folder) => needed.every((name) => existsSync(join(folder, name))));
}

/** A database server of one test, which archives its log into a folder of backups as `deploy/backup` says. */
export class DatabaseServer {
  readonly data: string;
  readonly backups: string;
  private running: ReturnType<typeof spawn> | undefined;

  private constructor(
    private readonly folder: string,
    private readonly programs: string,
    private readonly port: number,
    private readonly account: ServerAccount | undefined,
  ) {
    this.data = join(folder, 'data');
    this.backups = join(folder, 'backups');
  }

  static async create(programs: string): Promise<DatabaseServer> {
    const account = await findServerAccount();
    const folder = await mkdtemp('/var/tmp/paywall-server-');
    const server = new DatabaseServer(folder, programs, await findFreePort(), account);
    // Tests and built programs run in the root folder of the repository.
    await cp(resolve('deploy/backup'), join(folder, 'scripts'), { recursive: true });
    await writeFile(join(folder, 'password'), password);
    await mkdir(server.backups);
    for (const path of ['', 'password', 'backups', 'scripts'])
      if (account) await chown(join(folder, path), account.uid, account.gid);
    const flags = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${join(folder, 'password')}`, '--no-sync'];
    await server.run(join(programs, 'initdb'), ['--pgdata', server.data, '--encoding=UTF8', ...flags]);
    return server;
  }

  get url(): string {
    return `postgres://postgres:${password}@127.0.0.1:${this.port}/postgres`;
  }

  /** A streaming replica of this server, which answers when the promise resolves. `settings` are its own. */
  async addStandby(settings: Record<string, string> = {}): Promise<DatabaseServer> {
    const folder = await mkdtemp('/var/tmp/paywall-standby-');
    if (this.account) await chown(folder, this.account.uid, this.account.gid);
    const standby = new DatabaseServer(folder, this.programs, await findFreePort(), this.account);
    const flags = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync'];
    await this.run(join(this.programs, 'pg_basebackup'), ['--pgdata', standby.data, ...flags]);
    await standby.start('standby', settings);
    return standby;
  }

  /** Resolves when a primary accepts changes, the end of a recovery included, or when a standby answers. */
  async start(role: 'primary' | 'standby' = 'primary', own: Record<string, string> = {}): Promise<void> {
    const settings = {
      ...own,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      port: String(this.port),
      archive_mode: 'on',
      archive_command: `exec sh ${join(this.folder, 'scripts/archive.sh')} "%p" "%f"`,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const running = spawn(join(this.programs, 'postgres'), ['-D', this.data, ...flags], this.options());
    this.running = running;
    let log = '';
    running.stderr.on('data', (text: Buffer) => (log += text.toString()));
    await until(async () => {
      if (running.exitCode !== null) throw new Error(`the server ended: ${log}`);
      return this.query<{ open: boolean }>('SELECT pg_is_in_recovery() = $1 AS open', [role === 'standby']).then(
        ([row]) => row?.open,
        () => undefined,
      );
    });
  }

  /**
   * Ends it without a word, as a power cut does. Its other processes notice that a moment later and may still write, so the
   * promise waits until all of them have closed the log.
   */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const { running } = this;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((done) => running.once('close', done));
    running.kill(signal);
    await ended;
  }

  async query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** A whole second that lies after everything written so far and before everything written later. */
  async nextSecond(): Promise<string> {
    const [row] = await this.query<{ at: string }>(`SELECT to_char(date_trunc('second', clock_timestamp()
      AT TIME ZONE 'UTC') + interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at`);
    const at = row?.at ?? '';
    await until(async () => (await this.query('SELECT WHERE clock_timestamp() > $1::timestamptz', [at])).length > 0);
    return at;
  }

  /** What was written so far reaches the archive. A part of the log without any change would not be finished. */
  async archive(): Promise<string> {
    await this.query("SELECT pg_logical_emit_message(true, 'test', 'a change')");
    const [row] = await this.query<{ name: string }>('SELECT pg_walfile_name(pg_switch_wal()) AS name');
    const file = join(this.backups, 'wal', `${row?.name}.gz`);
    await until(() => existsSync(file));
    return file;
  }

  /** Runs a script of `deploy/backup`. Rejects with what it wrote if it fails. `signal` ends it. */
  script(
    name: string,
    args: string[] = [],
    environment: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<string> {
    return this.run('/bin/sh', [join(this.folder, 'scripts', name), ...args], environment, signal);
  }

  /** The PATH of a script that finds these shell programs before the real ones. */
  async replacePrograms(programs: Record<string, string>): Promise<{ PATH: string }> {
    const folder = await mkdtemp(join(this.folder, 'programs-'));
    await chmod(folder, 0o755);
    for (const [name, text] of Object.entries(programs))
      await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return { PATH: [folder, this.programs, process.env['PATH']].join(delimiter) };
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async run(
    command: string,
    args: string[],
    environment: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<string> {
    const options = this.options();
    const env = { ...options.env, ...environment };
    const { stdout } = await execute(command, args, { ...options, env, signal });
    return stdout;
  }

  private options() {
    const env = {
      PATH: [this.programs, process.env['PATH']].join(delimiter),
      LC_ALL: 'C',
      PGHOST: '127.0.0.1',
      PGPORT: String(this.port),
      PGUSER: 'postgres',
      PGPASSWORD: password,
      PGDATABASE: 'postgres',
      PGDATA: this.data,
      BACKUP_FOLDER: this.backups,
    };
    return { cwd: '/', env, ...this.account };
  }
}
