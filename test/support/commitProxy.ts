import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** `before`: the COMMIT never reaches the server. `after`: its answer never reaches the client. */
export type CommitCut = 'before' | 'after';

export interface CommitProxy {
  /** The URL of the database, with the address of this proxy. */
  url: string;
  /** Breaks the connection at the next COMMIT of a request with a key. Undefined: never. */
  cutAt(cut: CommitCut | undefined): void;
  /** The number of broken connections. */
  cuts(): number;
  stop(): Promise<void>;
}

/** A simple query of PostgreSQL's protocol: its letter, four bytes of length, and the text. */
const isCommit = (sent: Buffer) => sent.subarray(0, 1).equals(Buffer.from('Q')) && sent.includes('COMMIT');

/** A proxy between the product and PostgreSQL. It breaks connections at a COMMIT. */
export async function startCommitProxy(target: string): Promise<CommitProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let armed: CommitCut | undefined;
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let hasKey = false;
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
    upstream.pipe(client);
    client.on('data', (sent: Buffer) => {
      // The name of the prepared statement that writes a key.
      hasKey ||= sent.includes('idempotency_begin');
      if (!hasKey || !isCommit(sent)) return void upstream.write(sent);
      hasKey = false;
      const cut = armed;
      armed = undefined;
      if (cut === undefined) return void upstream.write(sent);
      cuts += 1;
      if (cut === 'before') return void client.resetAndDestroy();
      upstream.unpipe(client).once('data', () => client.resetAndDestroy());
      upstream.resume().write(sent);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    cutAt: (cut) => (armed = cut),
    cuts: () => cuts,
    stop: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
