import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../src/adapters/embedded/ports';
import { startPostgres } from '../src/adapters/embedded/postgres';
import { type ProcessGroup } from '../src/adapters/embedded/processes';
import { findCommand } from '../src/adapters/embedded/processTable';

/** The measurements' own PostgreSQL. One run at a time: a second would stop the first one's. */
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
