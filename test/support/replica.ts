import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { type TestApp } from './startApp';

export interface Replica extends Pick<TestApp, 'address'> {
  stop(): Promise<void>;
}

/** Another API on the same database, with modules, and so a memory, of its own. */
export async function startReplica(): Promise<Replica> {
  let replica: Replica | undefined;
  await jest.isolateModulesAsync(async () => {
    const { createApp } = await import('../../src/app.js');
    const { closeDatabase } = await import('../../src/adapters/postgres/connection.js');
    const { closeTemporal } = await import('../../src/adapters/temporalConnection.js');
    const { openDataKey } = await import('../../src/adapters/dataKey.js');
    await openDataKey();
    const started = createApp();
    await started.start();
    started.server.listen(0, '127.0.0.1');
    await once(started.server, 'listening');
    replica = {
      address: `http://127.0.0.1:${(started.server.address() as AddressInfo).port}`,
      stop: async () => {
        await started.stop();
        await closeTemporal();
        await closeDatabase();
      },
    };
  });
  if (!replica) throw new Error('no second replica');
  return replica;
}
