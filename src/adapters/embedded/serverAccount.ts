import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Readable for every account of the machine, and not emptied at a restart. */
const sharedFolder = '/var/tmp/subscription-paywall';

export interface ServerAccount {
  uid: number;
  gid: number;
}

/** PostgreSQL refuses to run as root: then it runs as `postgres`, or as `nobody` where that does not exist. */
export async function findServerAccount(): Promise<ServerAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const user of ['postgres', 'nobody']) {
    try {
      const ids = await Promise.all(['-u', '-g'].map((flag) => execute('id', [flag, user])));
      const [uid, gid] = ids.map(({ stdout }) => Number.parseInt(stdout, 10));
      if (uid !== undefined && gid !== undefined) return { uid, gid };
    } catch {
      // No such user: the next one.
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody: set DATABASE_URL');
}

export function runAs(account: ServerAccount | undefined, command: string, args: readonly string[], cwd = '/') {
  return execute(command, [...args], { cwd, env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }, ...account });
}

export async function canEnter(folder: string, account: ServerAccount | undefined): Promise<boolean> {
  return runAs(account, '/bin/sh', ['-c', 'test -r "$0" && test -x "$0"', folder]).then(
    () => true,
    () => false,
  );
}

/**
 * The folder itself when the account can reach it; otherwise (a checkout below root's home, say) one that stands in for
 * it below /var/tmp. A mark in the folder ties the two together: with the folder deleted, its stand-in starts afresh.
 */
export async function reachableFolder(folder: string, account: ServerAccount | undefined): Promise<string> {
  const real = await realpath(folder);
  if (account === undefined || (await canEnter(real, account))) return real;
  const standIn = join(await ownedSharedFolder(), createHash('sha256').update(real).digest('hex').slice(0, 16));
  const mark = join(real, 'is-at');
  const marked = await readFile(mark, 'utf8').catch(() => undefined);
  if (marked !== standIn) await rm(standIn, { recursive: true, force: true });
  await mkdir(standIn, { recursive: true });
  await writeFile(mark, standIn);
  return standIn;
}

/** Anyone may write to /var/tmp: a folder of that name that another account prepared is refused. */
export async function ownedSharedFolder(): Promise<string> {
  await mkdir(sharedFolder, { recursive: true });
  const found = await lstat(sharedFolder);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) {
    throw new Error(`${sharedFolder} belongs to somebody else: remove it, or set DATABASE_URL`);
  }
  await chmod(sharedFolder, 0o755);
  return sharedFolder;
}
