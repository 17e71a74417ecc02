import { findFreePort } from '../../scripts/embedded/ports';
import { type ChildProgram, startProgram } from './childProcess';
import { createTestDatabase } from './database';
import { keyPair } from './keys';
import { type TestApp } from './startApp';
import { until } from './until';

/** The API as a process of its own that can be killed, and comes back at the same address with the same secrets. */
export interface ChildApi extends Pick<TestApp, 'address' | 'pool'> {
  start: (environment?: Record<string, string>) => Promise<ChildProgram>;
  /** Another one on the same database, at an address of its own. */
  startBeside: (environment?: Record<string, string>) => Promise<ChildProgram & Pick<TestApp, 'address'>>;
  startWorker: (environment?: Record<string, string>) => Promise<ChildProgram>;
  stop: () => Promise<void>;
}

/** With a `folder`, the processes work and write there. */
export async function prepareApi(folder?: string): Promise<ChildApi> {
  const database = await createTestDatabase(process.env['DATABASE_URL']);
  const port = await findFreePort();
  const address = addressAt(port);
  const secrets = {
    JWT_KEYS: JSON.stringify([keyPair('first').jwk]),
    ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
  };
  const children: ChildProgram[] = [];
  const run = async (name: string, environment: Record<string, string>) => {
    const child = await startProgram(name, environment, folder);
    children.push(child);
    return child;
  };
  const startAt = async (at: number, environment: Record<string, string>) => {
    const child = await run('crashingApi', { PORT: String(at), METRICS_PORT: '0', ...secrets, ...environment });
    await until(() => isListening(addressAt(at)));
    return child;
  };
  return {
    address,
    pool: database.pool,
    start: (environment = {}) => startAt(port, environment),
    startBeside: async (environment = {}) => {
      const own = await findFreePort();
      return { ...(await startAt(own, environment)), address: addressAt(own) };
    },
    startWorker: (environment = {}) => run('crashingWorker', { ...secrets, ...environment }),
    stop: async () => {
      await Promise.all(children.map((child) => child.kill()));
      await database.drop();
    },
  };
}

const addressAt = (port: number) => `http://127.0.0.1:${port}`;

function isListening(address: string): Promise<boolean> {
  return fetch(`${address}/health/live`).then(
    ({ ok }) => ok,
    () => false,
  );
}
