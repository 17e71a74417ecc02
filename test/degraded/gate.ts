import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy in front of a server. While it is closed, it accepts connections and passes nothing on: the server seems to hang. */
export interface Gate {
  port: number;
  close(): void;
  open(): void;
  stop(): Promise<void>;
}

export async function startGate(targetPort: number): Promise<Gate> {
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();
  let isClosed = false;
  const server = createServer((client) => {
    client.on('error', () => undefined);
    keep(sockets, client);
    const pass = () => {
      const upstream = connect(targetPort, '127.0.0.1');
      keep(sockets, upstream);
      upstream.on('error', () => client.destroy());
      upstream.on('close', () => client.destroy());
      client.on('close', () => upstream.destroy());
      client.pipe(upstream).pipe(client);
    };
    if (!isClosed) return pass();
    waiting.add(pass);
    client.on('close', () => waiting.delete(pass));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      isClosed = true;
      // Open connections stay, and nothing arrives any more.
      for (const socket of sockets) socket.unpipe().pause();
    },
    open: () => {
      isClosed = false;
      // Connections of the time before are broken, as after a restart of the server.
      for (const socket of sockets) if (socket.isPaused()) socket.destroy();
      for (const pass of waiting) pass();
      waiting.clear();
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function keep(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
}
