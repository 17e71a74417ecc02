import { type ProcessGroup } from '../scripts/embedded/processes';
import { compareAccessChecks } from './accessChecks';
import { measureBacklog } from './backlog';
import { measureCheckout } from './checkout';
import { measureRest } from './memory';
import { measureFence } from './fence';
import { compareReads } from './reads';
import { measureRecovery } from './recovery';
import { createEmpty, dropDatabase } from './database';
import { copyMillion, fillMillion } from './million';
import { type BareParts, type Setting, startBareParts, startProduct } from './parts';
import { seed } from './seed';
import { startBenchPostgres } from './server';
import { compareSignIns } from './signIns';
import { measureSockets } from './sockets';
import { measureStorm } from './storm';
import { compareSubscribing } from './subscribing';
import { heading, type Line, renderTable } from './table';
import { measureWebhooks } from './webhooks';

/** A database for this run only, so that the data of one run does not slow down the next. */
const runDatabase = 'paywall_bench';

interface Part {
  measure: (setting: Setting & { bare: BareParts }) => Promise<Line[]>;
  /** The part needs a million entitlements. */
  amongMillion?: true;
}

/** The parts in the order in which they disturb each other least: first those that need an idle machine. */
const parts = {
  purchases: { measure: compareSubscribing },
  access: { measure: compareAccessChecks, amongMillion: true },
  reads: { measure: compareReads, amongMillion: true },
  fence: { measure: measureFence, amongMillion: true },
  checkout: { measure: measureCheckout },
  'sign-ins': { measure: compareSignIns },
  sockets: { measure: measureSockets },
  backlog: { measure: measureBacklog },
  storm: { measure: measureStorm },
  webhooks: { measure: measureWebhooks },
  recovery: { measure: measureRecovery },
} satisfies Record<string, Part>;

const rest = 'memory';

/** The names that `npm run bench` accepts; without any, all parts are measured. */
export const partNames: readonly string[] = [rest, ...Object.keys(parts)];

export interface Bench {
  table: string;
  /** The parts that could not be measured. */
  failed: string[];
}

/** Measures the named parts. If one fails, the results of the others are kept. */
export async function bench(
  names: readonly string[],
  folder: string,
  benchFolder: string,
  processes: ProcessGroup,
): Promise<Bench> {
  const tell = teller();
  const isSelected = (name: string) => names.length === 0 || names.includes(name);
  const selected = Object.entries<Part>(parts).filter(([name]) => isSelected(name));
  tell('starting PostgreSQL, Temporal, the API and the worker');
  const { url: serverUrl, runtimeUrl } = await startBenchPostgres(benchFolder, processes);
  const amongMillion = names.length === 0 || selected.some(([, part]) => part.amongMillion);
  const product = await startProduct({ url: await createDatabase(serverUrl, amongMillion), runtimeUrl }, processes);
  const run = new Run(tell);
  if (isSelected(rest)) await run.measure(rest, () => measureRest(product));
  if (selected.length > 0) {
    tell('starting the bare programs, seeding');
    const bare = await startBareParts(folder, processes, product);
    const seeded = await seed(product.databaseUrl);
    for (const [name, { measure }] of selected) await run.measure(name, () => measure({ product, bare, seeded, tell }));
  }
  await dropDatabase(serverUrl, runDatabase);
  tell('done');
  return { table: `${heading()}\n${renderTable(run.lines)}`, failed: run.failed };
}

async function createDatabase(serverUrl: string, amongMillion: boolean): Promise<string> {
  if (!amongMillion) return createEmpty(serverUrl, runDatabase);
  await fillMillion(serverUrl);
  return copyMillion(serverUrl, runDatabase);
}

class Run {
  readonly lines: Line[] = [];
  readonly failed: string[] = [];

  constructor(private readonly tell: (what: string) => void) {}

  async measure(name: string, work: () => Promise<Line[]>): Promise<void> {
    this.tell(name);
    try {
      this.lines.push(...(await work()));
    } catch (error) {
      this.failed.push(name);
      console.error(`${name} failed:`, error);
    }
  }
}

function teller(): (what: string) => void {
  const began = Date.now();
  return (what) => console.log(`${String(Math.round((Date.now() - began) / 1000)).padStart(4)} s  ${what}`);
}
