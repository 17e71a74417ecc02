import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Readable for every account of the machine, and not emptied at a restart. */
const sharedFolder = '/var/tmp/subscription-paywall';

export interface ServerAccount {
  uid: number;
  gid: number;
}

/** PostgreSQL refuses to run as root. It then runs as `postgres`, or as `nobody` if that account does not exist. */
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
 * The folder itself if the account can reach it. Otherwise (for example a checkout below root's home) a substitute
 * below /var/tmp. A mark in the folder names its substitute, so that without the folder a new substitute is created.
 */
export async function reachableFolder(folder: string, account: ServerAccount | undefined): Promise<string> {
  const real = await realpath(folder);
  if (account === undefined || (await canEnter(real, account))) return real;
  const standIn = join(await ownedSharedFolder(), createHash('sha256').update(real).digest('hex').slice(0, 16));
  const mark = join(real, 'is-at');
  const marked = await readFile(mark, 'utf8').catch(orAbsent);
  if (marked !== standIn) await rm(standIn, { recursive: true, force: true });
  await mkdir(standIn, { recursive: true });
  if (marked === standIn) return standIn;
  // Renaming keeps the old mark if the disk is full. Without a mark, the next start would delete the data.
  await writeFile(`${mark}.new`, standIn);
  await rename(`${mark}.new`, mark);
  return standIn;
}

function orAbsent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

/** Anyone may write to /var/tmp, so a folder of that name that another account has created is refused. */
export async function ownedSharedFolder(): Promise<string> {
  await mkdir(sharedFolder, { recursive: true });
  const found = await lstat(sharedFolder);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) {
    throw new Error(`${sharedFolder} belongs to another account: remove it, or set DATABASE_URL`);
  }
  await chmod(sharedFolder, 0o755);
  return sharedFolder;
}
