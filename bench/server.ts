import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../scripts/embedded/ports';
import { startPostgres } from '../scripts/embedded/postgres';
import { type ProcessGroup } from '../scripts/embedded/processes';
import { findCommand } from '../scripts/embedded/processTable';

export interface BenchPostgres {
  /** The address of the owner of the tables. */
  url: string;
  /** The address of the role that the service has. */
  runtimeUrl: string;
}

/**
 * The PostgreSQL server of the benchmarks. Only one run at a time is possible: a second one would stop the server of
 * the first.
 */
export async function startBenchPostgres(benchFolder: string, processes: ProcessGroup): Promise<BenchPostgres> {
  mkdirSync(benchFolder, { recursive: true });
  const note = join(benchFolder, 'run.pid');
  const holder = existsSync(note) ? Number(readFileSync(note, 'utf8')) : 0;
  if (holder !== process.pid && findCommand(holder)?.includes('bench'))
    throw new Error(`Another run (process ${holder}) uses ${benchFolder}.`);
  writeFileSync(note, String(process.pid));
  const dataFolder = join(benchFolder, 'postgres');
  return startPostgres({ dataFolder, port: await findFreePort(), processes });
}
