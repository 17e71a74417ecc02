import { type ProcessGroup } from '../src/adapters/embedded/processes';
import { compareAccessChecks } from './accessChecks';
import { measureRest } from './memory';
import { startBareParts, startProduct } from './parts';
import { seed } from './seed';
import { compareSignIns } from './signIns';
import { compareSubscribing } from './subscribing';
import { heading, type Line, renderTable } from './table';

/** The whole run, in the order in which one part disturbs the next least: first what needs an idle machine. */
export async function bench(folder: string, processes: ProcessGroup): Promise<string> {
  const began = Date.now();
  const tell = (what: string) =>
    console.log(`${String(Math.round((Date.now() - began) / 1000)).padStart(4)} s  ${what}`);
  tell('starting PostgreSQL, Temporal, the API and the worker');
  const product = await startProduct(processes);
  tell('memory at rest');
  const lines: Line[] = await measureRest(product);
  tell('starting the bare programs, seeding');
  const bare = await startBareParts(folder, processes, product);
  const seeded = await seed(product.databaseUrl);
  lines.push(...(await compareSubscribing({ product, seeded, tell })));
  lines.push(...(await compareAccessChecks({ product, bare, seeded, tell })));
  lines.push(...(await compareSignIns({ product, tell })));
  tell('done');
  return `${heading()}\n${renderTable(lines)}`;
}
