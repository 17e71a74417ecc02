import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, open, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
/** The program runs in `dist`, and its tests run beside the source. */
const sources = [resolve(__dirname, 'clock.c'), resolve(__dirname, '../../../test/simulation/clock.c')];

/** The clocks of processes on one machine, each of which can differ from the others. */
export interface Clocks {
  /** Settings with which a process of this name starts. `preload`: libraries that it loads besides. */
  envOf(name: string, preload?: string): Promise<Record<string, string>>;
  /** The clock is so many seconds ahead of the machine, or behind it. 0: it is right. */
  set(name: string, seconds: number): Promise<void>;
}

/** Undefined without a C compiler, or on a system other than Linux. */
export async function prepareClocks(folder: string): Promise<Clocks | undefined> {
  if (process.platform !== 'linux') return undefined;
  const library = join(folder, 'clock.so');
  try {
    await execute('cc', [
      '-shared',
      '-fPIC',
      '-O2',
      '-o',
      library,
      sources.find((file) => existsSync(file)) ?? '',
      '-ldl',
    ]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  await chmod(library, 0o755);
  const fileOf = (name: string) => join(folder, `clock-${name.replaceAll(' ', '-')}`);
  return {
    envOf: async (name, preload) => {
      await writeFile(fileOf(name), Buffer.alloc(8));
      // PostgreSQL may run under another account than this program.
      await chmod(fileOf(name), 0o644);
      return { LD_PRELOAD: preload === undefined ? library : `${preload}:${library}`, CLOCK_OFFSET: fileOf(name) };
    },
    set: async (name, seconds) => {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64LE(BigInt(seconds));
      const file = await open(fileOf(name), 'r+');
      // One write of the same length: readers have mapped the file.
      await file.write(bytes, 0, 8, 0);
      await file.close();
    },
  };
}
