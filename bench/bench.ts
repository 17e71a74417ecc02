import { type ProcessGroup } from '../src/adapters/embedded/processes';
import { compareAccessChecks } from './accessChecks';
import { measureRest } from './memory';
import { copyMillion, dropDatabase, fillMillion } from './million';
import { startBareParts, startProduct } from './parts';
import { seed } from './seed';
import { startBenchPostgres } from './server';
import { compareSignIns } from './signIns';
import { measureSockets } from './sockets';
import { compareSubscribing } from './subscribing';
import { heading, type Line, renderTable } from './table';
import { openViewers } from './viewers';

/** Of this run alone, so that what one writes does not slow the next. */
const runDatabase = 'paywall_bench';

/** The whole run, in the order in which one part disturbs the next least: first what needs an idle machine. */
export async function bench(folder: string, benchFolder: string, processes: ProcessGroup): Promise<string> {
  const began = Date.now();
  const tell = (what: string) =>
    console.log(`${String(Math.round((Date.now() - began) / 1000)).padStart(4)} s  ${what}`);
  tell('starting PostgreSQL, filling it with a million entitlements unless it is');
  const serverUrl = await startBenchPostgres(benchFolder, processes);
  await fillMillion(serverUrl);
  const databaseUrl = await copyMillion(serverUrl, runDatabase);
  tell('starting Temporal, the API and the worker');
  const product = await startProduct(databaseUrl, processes);
  tell('memory at rest');
  const lines: Line[] = await measureRest(product);
  tell('starting the bare programs, seeding');
  const bare = await startBareParts(folder, processes, product);
  const seeded = await seed(product.databaseUrl);
  lines.push(...(await compareSubscribing({ product, seeded, tell })));
  const viewing = await openViewers(product.databaseUrl);
  lines.push(...(await compareAccessChecks({ product, bare, viewing, tell })));
  lines.push(...(await compareSignIns({ product, tell })));
  lines.push(...(await measureSockets({ product, seeded, tell })));
  await dropDatabase(serverUrl, runDatabase);
  tell('done');
  return `${heading()}\n${renderTable(lines)}`;
}
