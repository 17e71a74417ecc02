import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { type Pool } from 'pg';
import { type RunningWorker } from '../../workers/worker';
import { createTestDatabase } from './database';
import { workerSettings } from './workerSettings';

export interface TestApp {
  /** `http://127.0.0.1:<port>`. */
  address: string;
  pool: Pool;
  stop(): Promise<void>;
  /** Starts a worker in this process, on this file's task queue. */
  startWorker(): Promise<RunningWorker>;
}

/**
 * The API, in this process, on a database of its own. Settings may be changed by `environment`, since the product reads
 * them when it is first imported: here, and nowhere in the test file.
 */
export async function startApp(environment: Record<string, string> = {}): Promise<TestApp> {
  Object.assign(process.env, environment);
  const database = await createTestDatabase(process.env['DATABASE_URL']);
  const { createApp } = await import('../../src/app.js');
  const { closeDatabase } = await import('../../src/adapters/postgres/connection.js');
  const { closeTemporal } = await import('../../src/adapters/temporalConnection.js');
  const { openDataKey } = await import('../../src/adapters/dataKey.js');
  await openDataKey();
  const app = createApp();
  await app.start();
  app.server.listen(0, '127.0.0.1');
  await once(app.server, 'listening');
  const workers: RunningWorker[] = [];
  return {
    address: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    pool: database.pool,
    startWorker: async () => {
      const worker = await startWorkerHere();
      workers.push(worker);
      return worker;
    },
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
      await app.stop();
      await closeTemporal();
      await closeDatabase();
      await database.drop();
    },
  };
}

async function startWorkerHere(): Promise<RunningWorker> {
  const { startWorker } = await import('../../workers/worker.js');
  const { createActivities } = await import('../../activities/index.js');
  const { installQuietRuntime } = await import('./quietRuntime.js');
  installQuietRuntime();
  return startWorker({ ...workerSettings(), activities: createActivities() });
}
