import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '../../scripts/embedded/ports';
import { startPostgres } from '../../scripts/embedded/postgres';
import { findServerAccount, reachableFolder } from '../../scripts/embedded/serverAccount';
import { readSettings } from '../../scripts/launcher/settings';
import { type Supervisor } from '../../scripts/launcher/supervisor';
import { type Disk } from '../degraded/disk';
import { type Clocks } from './clocks';
import { Part } from './part';

const execute = promisify(execFile);

/** What can be made wrong with the machine. `disk`: PostgreSQL waits for its disk, and gets these settings. */
export interface Machine {
  disk?: Disk | undefined;
  clocks?: Clocks | undefined;
}

export async function prepareDatabase(supervisor: Supervisor, { disk, clocks }: Machine = {}) {
  const settings = readSettings(process.env);
  const port = await findFreePort();
  const databaseUrls = { owner: '', runtime: '' };
  let next: 'same' | 'copied' | 'restored' = 'same';
  const postgres = new Part('PostgreSQL', async () => {
    const dataFolder = join(settings.dataFolder, 'postgres');
    if (next !== 'same') await copyCluster(dataFolder, next);
    next = 'same';
    const env = clocks ? { ...disk?.env, ...(await clocks.envOf('PostgreSQL', disk?.env['LD_PRELOAD'])) } : disk?.env;
    const options = { dataFolder, port, logFile: settings.logFile('postgres'), throwaway: !disk, env };
    const running = await startPostgres({ ...options, processes: supervisor.processes });
    Object.assign(databaseUrls, { owner: running.url, runtime: running.runtimeUrl });
    return running;
  });
  await postgres.keep(supervisor);
  return {
    databaseUrls,
    postgres,
    /** What happens to the files of PostgreSQL before its next start. */
    startWith: (what: 'copied' | 'restored') => (next = what),
  };
}

/** Of a server that does not run. */
async function copyCluster(dataFolder: string, what: 'copied' | 'restored'): Promise<void> {
  const cluster = join(await reachableFolder(dataFolder, await findServerAccount()), 'cluster');
  const copy = `${cluster}.copy`;
  const [from, to] = what === 'copied' ? [cluster, copy] : [copy, cluster];
  await rm(to, { recursive: true, force: true });
  // With the owners of the files.
  await execute('cp', ['-a', from, to]);
}
