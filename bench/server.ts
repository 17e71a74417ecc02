import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../scripts/embedded/ports';
import { startPostgres } from '../scripts/embedded/postgres';
import { type ProcessGroup } from '../scripts/embedded/processes';
import { findCommand } from '../scripts/embedded/processTable';

/**
 * The PostgreSQL server of the benchmarks. Only one run at a time is possible: a second one would stop the server of
 * the first.
 */
export async function startBenchPostgres(benchFolder: string, processes: ProcessGroup): Promise<string> {
  mkdirSync(benchFolder, { recursive: true });
  const note = join(benchFolder, 'run.pid');
  const holder = existsSync(note) ? Number(readFileSync(note, 'utf8')) : 0;
  if (holder !== process.pid && findCommand(holder)?.includes('bench'))
    throw new Error(`Another run (process ${holder}) uses ${benchFolder}.`);
  writeFileSync(note, String(process.pid));
  const dataFolder = join(benchFolder, 'postgres');
  const { url } = await startPostgres({ dataFolder, port: await findFreePort(), processes });
  return url;
}
