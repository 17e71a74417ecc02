import { type ProcessGroup } from '../src/adapters/embedded/processes';
import { compareAccessChecks } from './accessChecks';
import { measureRest } from './memory';
import { measureRecovery } from './recovery';
import { copyMillion, createEmpty, dropDatabase, fillMillion } from './million';
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
  const tell = teller();
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
  lines.push(...(await measureRecovery({ product, seeded, tell })));
  await dropDatabase(serverUrl, runDatabase);
  tell('done');
  return `${heading()}\n${renderTable(lines)}`;
}

/** Purchases only, on an empty database: what a change of the way to the payer's event is measured by. */
export async function benchPurchases(folder: string, benchFolder: string, processes: ProcessGroup): Promise<string> {
  const tell = teller();
  tell('starting PostgreSQL, Temporal, the API, the worker and the bare programs');
  const serverUrl = await startBenchPostgres(benchFolder, processes);
  const product = await startProduct(await createEmpty(serverUrl, runDatabase), processes);
  await startBareParts(folder, processes, product);
  const seeded = await seed(product.databaseUrl);
  const lines = await compareSubscribing({ product, seeded, tell });
  lines.push(...(await measureRecovery({ product, seeded, tell })));
  await dropDatabase(serverUrl, runDatabase);
  return `${heading()}\n${renderTable(lines)}`;
}

function teller(): (what: string) => void {
  const began = Date.now();
  return (what) => console.log(`${String(Math.round((Date.now() - began) / 1000)).padStart(4)} s  ${what}`);
}
