import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { WebSocket } from 'ws';
import { type Target } from '../simulation/schedule';
import { type Service } from '../simulation/service';
import { type Shop } from './clients';
import { type Disk, type DiskFault } from './disk';
import { type Gate } from './gate';

/** What a goal limits, in seconds. */
export type Limit = 'withoutCheck' | 'slowestPurchase' | 'afterEnd';

/** A fault that the service runs with for some time. */
export interface Mode {
  name: string;
  /** Causes the fault. The returned function ends it; without one, the fault has ended already. */
  begin(): Promise<(() => unknown) | undefined>;
  goal?: { limit: Limit; atMost: number };
}

export interface Surroundings {
  service: Service;
  shop: Shop;
  mailServer: Gate;
  receiver: Gate;
  disk: Disk | undefined;
}

const silentSockets = 100;

/** The faults that are measured. Those of the disk need a C compiler. */
export function listModes({ service, shop, mailServer, receiver, disk }: Surroundings): Mode[] {
  return [
    ...restarts(service),
    ...freezes(service),
    { name: 'The mail server hangs', begin: () => closed(mailServer) },
    { name: 'The receiver of webhooks hangs', begin: () => closed(receiver) },
    {
      name: 'All connections of PostgreSQL are taken',
      begin: () => Promise.resolve(takeConnections(service.runtimeUrl)),
    },
    {
      name: `${silentSockets} clients stop reading their WebSocket`,
      begin: () => openSilentSockets(service.addresses[0] ?? '', shop),
    },
    ...(disk
      ? [
          { name: 'The disk of PostgreSQL needs 500 ms for each flush', begin: () => broken(disk, 'slow') },
          { name: 'The disk of PostgreSQL is full', begin: () => broken(disk, 'full') },
        ]
      : []),
  ];
}

/** Parts that are killed or restarted. Their fault ends when they run again. */
function restarts(service: Service): Mode[] {
  const again = (target: Target, signal: 'SIGKILL' | 'SIGTERM') => async () => {
    await service.restart(target, 0, signal);
    return undefined;
  };
  const both = async () => {
    await Promise.all([0, 1].map((replica) => service.restart('worker', replica, 'SIGKILL')));
    return undefined;
  };
  const backSoon = { limit: 'afterEnd', atMost: 5 } as const;
  return [
    { name: 'The API is killed', begin: again('API', 'SIGKILL'), goal: { limit: 'withoutCheck', atMost: 3 } },
    { name: 'The API is restarted', begin: again('API', 'SIGTERM') },
    {
      name: 'One of two workers is killed',
      begin: again('worker', 'SIGKILL'),
      goal: { limit: 'slowestPurchase', atMost: 10 },
    },
    { name: 'One of two workers is restarted', begin: again('worker', 'SIGTERM') },
    { name: 'Both workers are killed', begin: both },
    { name: 'PostgreSQL is killed', begin: again('PostgreSQL', 'SIGKILL'), goal: backSoon },
    { name: 'PostgreSQL is restarted', begin: again('PostgreSQL', 'SIGTERM'), goal: backSoon },
    { name: 'Temporal is killed', begin: again('Temporal', 'SIGKILL') },
    { name: 'Temporal is restarted', begin: again('Temporal', 'SIGTERM') },
    { name: 'The payment provider is killed', begin: again('provider', 'SIGKILL') },
  ];
}

/** Parts that do not answer, and keep their connections. */
function freezes(service: Service): Mode[] {
  const frozen = (target: Target, name: string): Mode => ({ name, begin: () => service.freeze(target, 0) });
  return [
    frozen('API', 'The event loop of the API is blocked'),
    frozen('worker', 'One of two workers hangs'),
    frozen('PostgreSQL', 'PostgreSQL hangs'),
    frozen('Temporal', 'Temporal hangs'),
    frozen('provider', 'The payment provider hangs'),
  ];
}

function closed(gate: Gate): Promise<() => void> {
  gate.close();
  return Promise.resolve(() => gate.open());
}

async function broken(disk: Disk, fault: DiskFault): Promise<() => Promise<void>> {
  await disk.fail(fault);
  return () => disk.recover(fault);
}

/** Takes every free connection, and those that become free, as the role of the service does. */
function takeConnections(url: string): () => Promise<void> {
  const taken: Client[] = [];
  let isOver = false;
  const take = async () => {
    while (!isOver) {
      const client = new Client(url);
      client.on('error', () => undefined);
      try {
        await client.connect();
        taken.push(client);
      } catch {
        await sleep(50);
      }
    }
  };
  const taking = take();
  return async () => {
    isOver = true;
    await taking;
    await Promise.all(taken.map((client) => client.end()));
  };
}

async function openSilentSockets(address: string, { merchant }: Shop): Promise<() => void> {
  const url = `${address.replace('http', 'ws')}/notifications?merchant_uuid=${merchant.uuid}`;
  const headers = { Authorization: `Bearer ${merchant.token}` };
  const sockets = await Promise.all(
    Array.from({ length: silentSockets }, async () => {
      const socket = new WebSocket(url, { headers });
      socket.on('error', () => undefined);
      await new Promise((resolve) => socket.once('open', resolve));
      socket.pause();
      return socket;
    }),
  );
  return () => {
    for (const socket of sockets) socket.terminate();
  };
}
