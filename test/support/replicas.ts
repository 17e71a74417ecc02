import { type Pool } from 'pg';
import { findFreePort } from '../../scripts/embedded/ports';
import { type ChildProgram, startProgram } from './childProcess';
import { createTestDatabase } from './database';
import { keyPair } from './keys';
import { until } from './until';

/** An API process of its own, beside others on the same database. */
export interface Replica {
  address: string;
  pid: () => number;
  kill: () => Promise<string>;
  start: () => Promise<void>;
}

export interface Replicas {
  pool: Pool;
  replicas: Replica[];
  stop: () => Promise<void>;
}

/**
 * Several API processes on this file's database; the product itself may be used in the test's process as well. `prepare`
 * starts what is between them and the database, and returns their settings.
 */
export async function startReplicas(
  count: number,
  prepare: () => Promise<Record<string, string>> = () => Promise.resolve({}),
): Promise<Replicas> {
  const database = await createTestDatabase(process.env['DATABASE_URL']);
  const own = { JWT_KEYS: JSON.stringify([keyPair('first').jwk]), ...(await prepare()) };
  const replicas = await Promise.all(
    Array.from({ length: count }, async () => {
      const port = await findFreePort();
      const address = `http://127.0.0.1:${port}`;
      let child: ChildProgram | undefined;
      const start = async () => {
        child = await startProgram('crashingApi', { PORT: String(port), METRICS_PORT: '0', ...own });
        await until(() => answers(address));
      };
      await start();
      return { address, start, pid: () => child?.pid ?? 0, kill: () => child?.kill() ?? Promise.resolve('never ran') };
    }),
  );
  return {
    pool: database.pool,
    replicas,
    stop: async () => {
      await Promise.all(replicas.map(({ kill }) => kill()));
      const { closeDatabase } = await import('../../src/adapters/postgres/connection.js');
      await closeDatabase();
      await database.drop();
    },
  };
}

function answers(address: string): Promise<boolean> {
  return fetch(`${address}/health/live`).then(
    ({ ok }) => ok,
    () => false,
  );
}
