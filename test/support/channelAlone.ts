import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type NotificationSockets, type SocketParts } from '../../src/adapters/sockets';
import { type Caller } from '../../src/kit/auth';

export interface ChannelAlone {
  address: string;
  sockets: NotificationSockets;
  stop(): void;
}

/** The channel with parts of the test's own behind it: whoever connects is one consumer of merchant `m`. */
export async function startChannel(changes: Partial<SocketParts>): Promise<ChannelAlone> {
  const { NotificationSockets } = await import('../../src/adapters/sockets.js');
  const caller = { accountId: 1, merchantId: 1, merchantUuid: 'm', role: 'consumer', sessionId: 's' } as Caller;
  const sockets = new NotificationSockets({
    authenticate: () => Promise.resolve(caller),
    authenticateChannel: () => Promise.resolve(caller),
    listDeadSessions: () => Promise.resolve([]),
    presentForClient: (message) => message,
    mayReadContent: () => true,
    withoutContent: (message) => message,
    tokenOfPage: () => undefined,
    clientAddress: () => '',
    limits: { mayOpen: () => true, add: () => undefined },
    readEvents: () => Promise.resolve([]),
    lastPlaces: () => Promise.resolve(new Map()),
    listTurnedOff: () => Promise.resolve([]),
    ...changes,
  });
  sockets.start();
  const server = createServer().on('upgrade', (request, stream, head) => void sockets.upgrade(request, stream, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets,
    stop: () => {
      sockets.close();
      server.close();
    },
  };
}
