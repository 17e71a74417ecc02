import { ownSettings } from '../scripts/launcher/ownSettings';
import { runAlone } from '../scripts/program';
import { benchFolderOf } from './folder';

const stuckAfterMs = 15 * 60_000;

/**
 * `npm run bench`: compares the service with bare programs that do only the unavoidable work, in the same run. `npm run
 * bench access recovery` measures only these parts.
 */
async function main(): Promise<void> {
  if (process.platform !== 'linux')
    throw new Error('Memory and processor time are read from /proc: run this on Linux.');
  await runAlone(async (folder, processes) => {
    const watch = setTimeout(() => {
      console.error(`Not done after ${stuckAfterMs / 60_000} minutes.`);
      process.kill(process.pid, 'SIGTERM');
    }, stuckAfterMs);
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
    clearTimeout(watch);
    if (failed.length > 0) throw new Error(`Not measured: ${failed.join(', ')}.`);
    return true;
  });
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
