import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Proxy {
  /** The target's URL with this proxy's address in it. */
  url: string;
  /** The number of connections and refused connections. */
  attempts(): number;
  /** Whether anyone is connected. */
  isOpen(): boolean;
  /** Breaks every connection and closes new ones, until `restore`. */
  cut(): void;
  restore(): void;
  /** Holds back what the server sends to the connection with this port, without breaking it. */
  mute(port: number): void;
  stop(): Promise<void>;
}

/**
 * A proxy between the product and a server, so that a test can make the server unavailable. With several servers, each connection
 * goes to any of them, as with a balancer that has not noticed yet which ones are down.
 */
export async function startProxy(target: string, ...others: string[]): Promise<Proxy> {
  const targets = [target, ...others];
  const open = new Set<Socket>();
  let attempts = 0;
  let isCut = false;
  const server = createServer((client) => {
    attempts += 1;
    if (isCut) return void client.resetAndDestroy();
    const { hostname, port } = new URL(targets[randomInt(targets.length)] ?? target);
    const upstream = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on('error', () => undefined);
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cut = () => {
    isCut = true;
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    url: url.href,
    attempts: () => attempts,
    isOpen: () => open.size > 0,
    cut,
    restore: () => (isCut = false),
    mute: (port) => {
      for (const socket of open) if (socket.localPort === port) socket.unpipe().pause();
    },
    stop: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
