import { type ProcessGroup } from '../src/adapters/embedded/processes';
import { compareAccessChecks } from './accessChecks';
import { measureRest } from './memory';
import { measureRecovery } from './recovery';
import { copyMillion, createEmpty, dropDatabase, fillMillion } from './million';
import { type BareParts, type Product, startBareParts, startProduct } from './parts';
import { type Seeded, seed } from './seed';
import { startBenchPostgres } from './server';
import { compareSignIns } from './signIns';
import { measureSockets } from './sockets';
import { compareSubscribing } from './subscribing';
import { heading, type Line, renderTable } from './table';

/** Of this run alone, so that what one writes does not slow the next. */
const runDatabase = 'paywall_bench';

interface Setting {
  product: Product;
  bare: BareParts;
  seeded: Seeded;
  tell: (what: string) => void;
}

interface Part {
  measure: (setting: Setting) => Promise<Line[]>;
  /** What it measures takes longer, or is only worth a measurement, among a million entitlements. */
  amongMillion?: true;
}

/** What a run measures, in the order in which one part disturbs the next least: first what needs an idle machine. */
const parts = {
  purchases: { measure: compareSubscribing },
  access: { measure: compareAccessChecks, amongMillion: true },
  'sign-ins': { measure: compareSignIns },
  sockets: { measure: measureSockets },
  recovery: { measure: measureRecovery },
} satisfies Record<string, Part>;

const rest = 'memory';

/** What `npm run bench` may be asked for; without any, all of it. */
export const partNames: readonly string[] = [rest, ...Object.keys(parts)];

export interface Bench {
  table: string;
  /** The parts that could not be measured. */
  failed: string[];
}

/** Measures the named parts. One that fails leaves the others their numbers. */
export async function bench(
  names: readonly string[],
  folder: string,
  benchFolder: string,
  processes: ProcessGroup,
): Promise<Bench> {
  const tell = teller();
  const isAsked = (name: string) => names.length === 0 || names.includes(name);
  const asked = Object.entries<Part>(parts).filter(([name]) => isAsked(name));
  tell('starting PostgreSQL, Temporal, the API and the worker');
  const serverUrl = await startBenchPostgres(benchFolder, processes);
  const amongMillion = names.length === 0 || asked.some(([, part]) => part.amongMillion);
  const product = await startProduct(await createDatabase(serverUrl, amongMillion), processes);
  const run = new Run(tell);
  if (isAsked(rest)) await run.measure(rest, () => measureRest(product));
  if (asked.length > 0) {
    tell('starting the bare programs, seeding');
    const bare = await startBareParts(folder, processes, product);
    const seeded = await seed(product.databaseUrl);
    for (const [name, { measure }] of asked) await run.measure(name, () => measure({ product, bare, seeded, tell }));
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
