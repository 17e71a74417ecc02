import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProcessGroup } from '../scripts/embedded/processes';
import { ownSettings } from '../scripts/launcher/ownSettings';
import { benchFolderOf } from './folder';

const stuckAfterMs = 15 * 60_000;

/**
 * `npm run bench`: compares the service with bare programs that do only the unavoidable work, in the same run. `npm run
 * bench access recovery` measures only these parts.
 */
async function main(): Promise<void> {
  if (process.platform !== 'linux')
    throw new Error('Memory and processor time are read from /proc: run this on Linux.');
  const folder = await mkdtemp(join(tmpdir(), 'paywall-bench-'));
  // PostgreSQL may run under another account than this program.
  await chmod(folder, 0o755);
  const processes = new ProcessGroup({ removeFolder: folder });
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= processes.stopAll().then(() => rm(folder, { recursive: true, force: true })));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void stop().then(() => process.exit(1)));
  const watch = setTimeout(() => {
    console.error(`Not done after ${stuckAfterMs / 60_000} minutes.`);
    void stop().then(() => process.exit(1));
  }, stuckAfterMs);
  try {
    const benchFolder = benchFolderOf(process.env);
    // The pages of the checkout have an address that only their browser can resolve.
    Object.assign(process.env, await ownSettings(folder), { BASE_URL: 'http://bench.test' });
    // The settings are read when the product is first imported, so the imports follow here.
    const { bench, partNames } = await import('./bench.js');
    const names = process.argv.slice(2);
    if (names.some((name) => !partNames.includes(name)))
      throw new Error(`Name some of ${partNames.join(', ')}, or none.`);
    const { table, failed } = await bench(names, folder, benchFolder, processes);
    console.log(table);
    if (failed.length > 0) throw new Error(`Not measured: ${failed.join(', ')}.`);
  } finally {
    clearTimeout(watch);
    await stop();
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
