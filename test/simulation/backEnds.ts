import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type EventMessage } from '../../src/notifications/events';
import { type HistoryFile } from './history';

/** One of so many events is refused at its first attempt, so that it comes again. */
const refusedEvery = 20;

/** The back ends of the merchants: a server that receives their webhooks and writes them to the history. */
export class BackEnds {
  private readonly seen = new Set<string>();
  private readonly server: Server;

  private constructor(private readonly history: Pick<HistoryFile, 'add'>) {
    this.server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const actor = decodeURIComponent(request.url?.slice(1) ?? '');
        const isAccepted = this.receive(actor, JSON.parse(Buffer.concat(parts).toString()) as EventMessage);
        response.writeHead(isAccepted ? 204 : 503).end();
      });
    });
  }

  static async start(history: Pick<HistoryFile, 'add'>): Promise<BackEnds> {
    const backEnds = new BackEnds(history);
    backEnds.server.listen(0, '127.0.0.1');
    await once(backEnds.server, 'listening');
    return backEnds;
  }

  /** The address of a merchant's back end. */
  urlOf(actor: string): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/${encodeURIComponent(actor)}`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private receive(actor: string, { id, type, account_uuid: accountUuid }: EventMessage): boolean {
    const name = `${actor} ${id}`;
    const isAccepted = id % refusedEvery !== 0 || this.seen.has(name);
    this.seen.add(name);
    this.history.add({ kind: 'received', actor, id, type, accountUuid, isAccepted });
    return isAccepted;
  }
}
