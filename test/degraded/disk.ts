import { execFile } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const source = resolve(__dirname, '../../../test/degraded/disk.c');

export type DiskFault = 'full' | 'slow';

/** The disk of a PostgreSQL server that can be made full or slow. */
export interface Disk {
  /** Settings with which the server starts. */
  env: Record<string, string>;
  fail(fault: DiskFault): Promise<void>;
  recover(fault: DiskFault): Promise<void>;
}

/** Undefined without a C compiler, or on a system other than Linux. */
export async function prepareDisk(folder: string): Promise<Disk | undefined> {
  if (process.platform !== 'linux') return undefined;
  const faults = join(folder, 'disk-faults');
  const library = join(folder, 'disk.so');
  try {
    await execute('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl']);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  await mkdir(faults);
  // PostgreSQL may run under another account than this program.
  await Promise.all([chmod(faults, 0o755), chmod(library, 0o755)]);
  return {
    env: { LD_PRELOAD: library, DISK_FAULTS: faults },
    fail: (fault) => writeFile(join(faults, fault), ''),
    recover: (fault) => rm(join(faults, fault), { force: true }),
  };
}
