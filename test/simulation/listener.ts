import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { type EventMessage } from '../../src/notifications/events';
import { type HistoryFile } from './history';

const pauseMs = 300;
/** A frozen process accepts connections, and does not answer. */
const handshakeTimeout = 5_000;

/** The addresses to listen at, and what keeps the events. */
export interface ListeningWorld {
  addresses: string[];
  history: { add: HistoryFile['add'] };
}

interface Audience {
  actor: string;
  token: string;
  merchantUuid: string;
  /** Undefined: a merchant hears the events of all accounts. */
  accountUuid?: string;
}

/** A client that listens all the time: after a broken connection it connects again, after the last event that it heard. */
export class Listener {
  lastId = 0;
  private socket: WebSocket | undefined;
  isStopped = false;

  constructor(
    private readonly world: ListeningWorld,
    readonly audience: Audience,
  ) {
    void this.run();
  }

  /** Closes the connection. The next one follows. */
  reconnect(): void {
    this.socket?.close();
  }

  stop(): void {
    this.isStopped = true;
    this.socket?.close();
  }

  private async run(): Promise<void> {
    const { addresses } = this.world;
    for (let connection = 0; !this.isStopped; connection += 1, await sleep(pauseMs))
      await this.listenAt(addresses[connection % addresses.length] ?? '');
  }

  /** Resolves when the connection has ended, or was never open. */
  private listenAt(address: string): Promise<void> {
    const { actor, token, merchantUuid, accountUuid } = this.audience;
    const after = this.lastId;
    const query = new URLSearchParams({ merchant_uuid: merchantUuid, last_event_id: String(after) });
    const socket = new WebSocket(`${address.replace('http', 'ws')}/notifications?${query.toString()}`, {
      headers: { Authorization: `Bearer ${token}` },
      handshakeTimeout,
    });
    this.socket = socket;
    socket.on('open', () => this.world.history.add({ kind: 'listening', actor, merchantUuid, accountUuid, after }));
    socket.on('message', (text: Buffer) => this.hear(JSON.parse(text.toString()) as EventMessage));
    socket.on('error', () => undefined);
    return new Promise((resolve) => socket.once('close', () => resolve()));
  }

  private hear({ id, type, resource }: EventMessage): void {
    this.lastId = Math.max(this.lastId, id);
    this.world.history.add({ kind: 'heard', actor: this.audience.actor, id, type, ...subjectOf(resource) });
  }
}

/** The subscription or the payment of an event, and its amount in minor units. All fees are in EUR. */
function subjectOf(resource: Record<string, unknown>) {
  const subject = resource['subscription_id'] ?? resource['transaction'];
  const amount = Number(resource['amount']);
  return {
    ...(typeof subject === 'string' && { subject }),
    ...(Number.isFinite(amount) && { amountMinor: Math.round(amount * 100) }),
  };
}
