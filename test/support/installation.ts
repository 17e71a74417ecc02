import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Pool } from 'pg';
import { findFreePort } from '../../scripts/embedded/ports';
import { ProcessGroup } from '../../scripts/embedded/processes';
import { startApi, startWorker } from '../../scripts/launcher/programs';
import { readSettings } from '../../scripts/launcher/settings';
import { type DatabaseServer } from './databaseServer';
import { keyPair } from './keys';
import { startOwnTemporal } from './temporalServer';

const root = resolve(__dirname, '../..');

/** A whole installation: the built API and worker on a database server and a Temporal of their own. */
export type Installation = Awaited<ReturnType<typeof createInstallation>>;

export async function createInstallation(database: DatabaseServer) {
  const folder = await mkdtemp(join(tmpdir(), 'paywall-installation-'));
  const temporal = await startOwnTemporal();
  const address = `http://127.0.0.1:${await findFreePort()}`;
  const env = {
    ...process.env,
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: temporal.address,
    PORT: new URL(address).port,
    METRICS_PORT: '0',
    WORKER_METRICS_PORT: '0',
    JWT_KEYS: JSON.stringify([keyPair('installation').jwk]),
  };
  const settings = {
    ...readSettings(process.env),
    root,
    apiUrl: address,
    logFile: (part: string) => join(folder, `${part}.log`),
  };
  const pool = new Pool({ connectionString: database.url, max: 2 });
  // The server is killed while connections are open.
  pool.on('error', () => undefined);
  let processes = new ProcessGroup();
  return {
    address,
    pool,
    temporal,
    start: async () => {
      processes = new ProcessGroup();
      await startApi({ processes, settings, env });
      await startWorker({ processes, settings, env });
    },
    stopPrograms: () => processes.stopAll(),
    /** Runs a built command, as its npm script does, and returns what it prints. */
    run: async (script: string, args: readonly string[] = [], input = '') => {
      const running = promisify(execFile)(process.execPath, [join(root, 'dist/scripts', script), ...args], { env });
      running.child.stdin?.end(input);
      return (await running).stdout;
    },
    remove: async () => {
      await processes.stopAll();
      await pool.end();
      await temporal.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
