import { type IncomingMessage } from 'node:http';
import { type Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { bearerToken, type Caller } from '../kit/auth';
import { logger } from './logger';
import { closeCodes, drained, give, unsentBytesMax, type Listener, type Place } from './socketListener';

/** The WebSocket channel of `GET /notifications` (decisions 8): one message a frame, nothing else. */

const path = '/notifications';
const protocol = 'paywall.v1';
const pingEveryMs = 30_000;
const pollEveryMs = 1_000;
/** How long a peer may take to answer our goodbye. */
const farewellMs = 2_000;
const readBatch = 500;
export interface SocketParts {
  authenticate(token: string | undefined, clientAddress: string): Promise<Caller>;
  clientAddress(request: IncomingMessage): string;
  /** A merchant's events after a place, in order; of one account when it is given. */
  readEvents(audience: { merchantId: number; accountId?: number }, after: number, limit: number): Promise<Place[]>;
  lastPlaces(merchantIds: number[]): Promise<Map<number, number>>;
}

/** The listeners of one merchant share one reader. */
interface Channel {
  place: number;
  members: Set<Listener>;
  reading: Promise<void> | undefined;
  readAgain: boolean;
}

export class NotificationSockets {
  private readonly server = new WebSocketServer({
    noServer: true,
    maxPayload: 4096,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
  });
  private readonly channels = new Map<number, Channel>();
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(private readonly parts: SocketParts) {}

  start(): void {
    this.timers.push(
      setInterval(() => void this.poll(), pollEveryMs),
      setInterval(() => this.ping(), pingEveryMs),
    );
  }

  /** New events of a merchant were committed somewhere. */
  wake(merchantId: number): void {
    const channel = this.channels.get(merchantId);
    if (!channel) return;
    if (channel.reading) {
      channel.readAgain = true;
      return;
    }
    channel.reading = this.read(merchantId, channel).finally(() => {
      channel.reading = undefined;
      if (!channel.readAgain) return;
      channel.readAgain = false;
      this.wake(merchantId);
    });
  }

  /** A session ended: its sockets hear what was told with that, and no more. */
  async endSession(sessionId: string): Promise<void> {
    for (const [merchantId, channel] of [...this.channels]) {
      const ended = [...channel.members].filter((listener) => listener.caller.sessionId === sessionId);
      if (ended.length === 0) continue;
      this.wake(merchantId);
      await channel.reading;
      // A reading that had already begun may have begun before the end was told.
      await channel.reading;
      for (const { socket } of ended) socket.close(closeCodes.badToken, 'session ended');
    }
  }

  /** What an account may hear has changed: its listeners come back, and are asked anew. */
  recheckAccount(accountId: number): void {
    for (const listener of this.listeners())
      if (listener.caller.accountId === accountId) listener.socket.close(closeCodes.restarting, 'come back');
  }

  /** Words of ended sessions may have been lost: whoever's session is dead is sent away. */
  async recheckSessions(): Promise<void> {
    for (const listener of this.listeners()) await this.recheck(listener);
  }

  count(): number {
    return this.server.clients.size;
  }

  /** Tells everyone to reconnect elsewhere. */
  close(): void {
    this.timers.forEach(clearInterval);
    for (const socket of this.server.clients) socket.close(closeCodes.restarting, 'restarting');
    setTimeout(() => this.server.clients.forEach((socket) => socket.terminate()), farewellMs).unref();
    this.server.close();
  }

  /** The place of a newcomer is read before the handshake ends, so that nothing after it can be missed. */
  async upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    // Before anything else: a peer that is gone already would end the process.
    const onStreamError = () => stream.destroy();
    stream.on('error', onStreamError);
    const url = URL.parse(request.url ?? '', 'http://localhost');
    if (url?.pathname !== path) return void stream.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
    try {
      const caller = await this.identify(request, url.searchParams.get('merchant_uuid') ?? '');
      const place = typeof caller === 'number' ? 0 : await this.startingPlace(caller, url.searchParams);
      stream.off('error', onStreamError);
      this.server.handleUpgrade(request, stream, head, (socket) => {
        socket.on('error', () => socket.terminate());
        if (typeof caller === 'number') return socket.close(caller);
        void this.join(socket, request, caller, place);
      });
    } catch (error) {
      logger.warn({ reason: (error as Error).message }, 'a socket could not be opened');
      stream.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nConnection: close\r\n\r\n');
    }
  }

  /** Who connects, or the code that the socket is closed with. */
  private async identify(request: IncomingMessage, merchantUuid: string): Promise<Caller | number> {
    try {
      const caller = await this.parts.authenticate(tokenOf(request), this.parts.clientAddress(request));
      const isOwn = caller.merchantUuid === merchantUuid.toLowerCase();
      return isOwn && mayListen(caller) ? caller : closeCodes.foreignMerchant;
    } catch (error) {
      if (isDead(error)) return closeCodes.badToken;
      throw error;
    }
  }

  private async startingPlace(caller: Caller, query: URLSearchParams): Promise<number> {
    const newest = (await this.parts.lastPlaces([caller.merchantId])).get(caller.merchantId) ?? 0;
    const asked = query.get('last_event_id');
    return asked !== null && /^\d{1,15}$/.test(asked) ? Math.min(Number(asked), newest) : newest;
  }

  private async join(socket: WebSocket, request: IncomingMessage, caller: Caller, place: number): Promise<void> {
    const accountId = caller.role === 'merchant' ? undefined : caller.accountId;
    const token = tokenOf(request);
    const listener = { socket, token, caller, accountId, place, isReplaying: true, unsentMessages: 0, isAlive: true };
    socket.on('pong', () => (listener.isAlive = true));
    const channel = this.channelOf(caller.merchantId, place);
    channel.members.add(listener);
    socket.on('close', () => this.leave(caller.merchantId, channel, listener));
    // Its session may have ended while the handshake ran.
    void this.recheck(listener);
    try {
      await this.replay(listener, channel);
    } catch {
      return socket.close(1011, 'replay failed');
    }
    this.wake(caller.merchantId);
  }

  private async recheck({ token, caller, socket }: Listener): Promise<void> {
    try {
      await this.parts.authenticate(token, caller.clientAddress);
    } catch (error) {
      if (isDead(error)) socket.close(closeCodes.badToken, 'session ended');
    }
  }

  private channelOf(merchantId: number, place: number): Channel {
    const known = this.channels.get(merchantId);
    if (known) return known;
    const opened: Channel = { place, members: new Set(), reading: undefined, readAgain: false };
    this.channels.set(merchantId, opened);
    return opened;
  }

  /** What was missed, up to where the channel is; no await between the last check and the end of it, so no gap. */
  private async replay(listener: Listener, channel: Channel): Promise<void> {
    while (listener.place < channel.place && listener.socket.readyState === listener.socket.OPEN) {
      const upTo = channel.place;
      const { merchantId } = listener.caller;
      const audience = { merchantId, ...(listener.accountId !== undefined && { accountId: listener.accountId }) };
      const events = await this.parts.readEvents(audience, listener.place, readBatch);
      for (const event of events) {
        give(listener, event);
        // Whoever replays is handed as much as it takes: it is not slow because it missed much.
        if (listener.socket.bufferedAmount > unsentBytesMax / 2) await drained(listener);
      }
      if (events.length < readBatch) listener.place = Math.max(listener.place, upTo);
      else await drained(listener);
    }
    listener.isReplaying = false;
  }

  private leave(merchantId: number, channel: Channel, listener: Listener): void {
    channel.members.delete(listener);
    if (channel.members.size === 0 && this.channels.get(merchantId) === channel) this.channels.delete(merchantId);
  }

  private async read(merchantId: number, channel: Channel): Promise<void> {
    try {
      for (;;) {
        const events = await this.parts.readEvents({ merchantId }, channel.place, readBatch);
        for (const event of events) {
          channel.place = event.message.id;
          const text = JSON.stringify(event.message);
          for (const listener of channel.members) if (!listener.isReplaying) give(listener, event, text);
        }
        if (events.length < readBatch) return;
      }
    } catch (error) {
      logger.warn({ reason: (error as Error).message }, 'events cannot be read');
    }
  }

  /** The net under NOTIFY: a lost one costs a second. */
  private async poll(): Promise<void> {
    if (this.channels.size === 0) return;
    try {
      const newest = await this.parts.lastPlaces([...this.channels.keys()]);
      for (const [merchantId, channel] of this.channels)
        if ((newest.get(merchantId) ?? 0) > channel.place) this.wake(merchantId);
    } catch (error) {
      logger.warn({ reason: (error as Error).message }, 'channels cannot be polled');
    }
  }

  private ping(): void {
    for (const listener of this.listeners()) {
      if (!listener.isAlive) {
        listener.socket.terminate();
        continue;
      }
      listener.isAlive = false;
      listener.socket.ping();
    }
  }

  private listeners(): Listener[] {
    return [...this.channels.values()].flatMap((channel) => [...channel.members]);
  }
}

/** A follower hears what its master lets it read (decisions 8). */
function mayListen(caller: Caller): boolean {
  return caller.role === 'consumer' || caller.scopes.includes('payments:read');
}

function isDead(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'invalid_auth_token';
}

/** Browsers cannot set headers: they offer `paywall.v1, bearer.<token>` as subprotocols. */
function tokenOf(request: IncomingMessage): string | undefined {
  const sent = bearerToken(request.headers.authorization);
  if (sent !== undefined) return sent;
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  return offered.find((name) => name.startsWith('bearer.'))?.slice('bearer.'.length);
}
