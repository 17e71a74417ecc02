import { ProcessGroup } from '../scripts/embedded/processes';
import { countMillion, fillMillion } from './million';
import { benchFolderOf } from './folder';
import { startBenchPostgres } from './server';

/** `npm run bench:seed`: the database that `npm run bench` measures on, with a million entitlements. */
async function main(): Promise<void> {
  const benchFolder = benchFolderOf(process.env);
  const processes = new ProcessGroup();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void processes.stopAll().then(() => process.exit(1)));
  try {
    const filled = await fillMillion((await startBenchPostgres(benchFolder, processes)).url);
    const counts = Object.entries(await countMillion(filled.url));
    for (const [name, count] of counts) console.log(`${count.toLocaleString('en').padStart(12)}  ${name}`);
    const took = filled.tookMs === undefined ? 'was there already' : `took ${Math.round(filled.tookMs / 1000)} s`;
    console.log(`\nIn ${benchFolder}: ${took}.`);
  } finally {
    await processes.stopAll();
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
