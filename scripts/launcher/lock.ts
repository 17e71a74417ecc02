import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { findCommand } from '../embedded/processTable';

const Holder = z.object({ pid: z.int(), address: z.string(), isStopping: z.boolean().default(false) });
export type Holder = z.output<typeof Holder>;

/**
 * One launcher per data folder. Returns the launcher that has the folder, or undefined: then the folder is ours until
 * `releaseLock`. The lock of a launcher that has ended without releasing it does not count.
 */
export function takeLock(dataFolder: string, address: string): Holder | undefined {
  mkdirSync(dataFolder, { recursive: true });
  const lock = lockFile(dataFolder);
  const own = `${lock}.${process.pid}`;
  writeFileSync(own, JSON.stringify({ pid: process.pid, address }));
  try {
    for (let tries = 0; tries < 3; tries += 1) {
      if (isLinked(own, lock)) return undefined;
      const holder = findHolder(lock);
      if (holder !== undefined) return holder;
      rmSync(lock, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
  throw new Error(`${lock} cannot be taken: another launcher starts at the same moment`);
}

/** From now on a launcher that wants the folder waits instead of giving up. */
export function announceStop(dataFolder: string, address: string): void {
  const lock = lockFile(dataFolder);
  try {
    writeFileSync(`${lock}.new`, JSON.stringify({ pid: process.pid, address, isStopping: true }));
    renameSync(`${lock}.new`, lock);
  } catch {
    // Without its data folder the launcher holds nothing, and still has to stop what it started.
  }
}

export function releaseLock(dataFolder: string): void {
  rmSync(lockFile(dataFolder), { force: true });
}

function lockFile(dataFolder: string): string {
  return join(dataFolder, 'launcher.json');
}

/** Linking a complete file under the lock's name either takes the lock, content and all, or fails. */
function isLinked(own: string, lock: string): boolean {
  try {
    linkSync(own, lock);
    return true;
  } catch {
    return false;
  }
}

/** The launcher that wrote the file, if it still runs. Process ids are reused, so its command is compared as well. */
function findHolder(lock: string): Holder | undefined {
  try {
    const holder = Holder.parse(JSON.parse(readFileSync(lock, 'utf8')));
    return findCommand(holder.pid)?.includes('launch.js') ? holder : undefined;
  } catch {
    return undefined;
  }
}
