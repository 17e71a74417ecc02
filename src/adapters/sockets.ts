import { type IncomingMessage } from 'node:http';
import { type Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { bearerToken, type Caller } from '../kit/auth';
import { logger } from './logger';
import { publishPacket, serveMqtt } from './mqttSocket';
import {
  closeCodes,
  drained,
  give,
  limitTalk,
  unsentBytesMax,
  type Listener,
  type Message,
  type Place,
} from './socketListener';

/**
 * The channels of events. `/notifications` (decisions 8): one message a frame, nothing else. `/mqtt` (wire C.1): the same
 * for apps that speak MQTT, where the topic is the account's uuid. Both are fed by one reader a merchant.
 */

const path = '/notifications';
const mqttPath = '/mqtt';
const protocol = 'paywall.v1';
const mqttProtocols = ['mqtt', 'mqttv3.1'];
/** Longer than anything that a client has to say. */
const frameBytesMax = 4096;
const pollEveryMs = 1_000;
/** A session that ended by time tells nobody, and the word of another's end may be lost. */
const checkSessionsEveryMs = 4_000;
/** How long a peer may take to answer our goodbye. */
const farewellMs = 2_000;
const readBatch = 500;
export interface SocketParts {
  authenticate(token: string | undefined, clientAddress: string): Promise<Caller>;
  /** By the short-lived token of clients that can name it in the address only. */
  authenticateChannel(token: string, clientAddress: string): Promise<Caller>;
  listDeadSessions(sessionIds: string[]): Promise<string[]>;
  /** As those clients read a message; undefined for one that they do not know. */
  presentForClient(message: Message): object | undefined;
  /** The token of a page of ours, which a browser sends by itself; undefined from any other page. */
  tokenOfPage(request: IncomingMessage, merchantUuid: string): string | undefined;
  clientAddress(request: IncomingMessage): string;
  /** A merchant's events after a place, in order; of one account when it is given. */
  readEvents(audience: { merchantId: number; accountId?: number }, after: number, limit: number): Promise<Place[]>;
  lastPlaces(merchantIds: number[]): Promise<Map<number, number>>;
  /** A peer that answers no ping within this time is dead. */
  pingEveryMs?: number;
}

/** Who connects, and how to ask again whether it still may. */
interface Identity {
  caller: Caller;
  authenticate: () => Promise<Caller>;
  /** Its token came with the address: a client of wire C, which hears its own account only. */
  isClient: boolean;
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
    maxPayload: frameBytesMax,
    perMessageDeflate: false,
    handleProtocols: (offered) => [protocol, ...mqttProtocols].find((name) => offered.has(name)) ?? false,
  });
  private readonly channels = new Map<number, Channel>();
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(private readonly parts: SocketParts) {}

  start(): void {
    this.timers.push(
      setInterval(() => void this.poll(), pollEveryMs),
      setInterval(() => this.ping(), this.parts.pingEveryMs ?? 30_000),
      setInterval(() => void this.endDeadSessions(), checkSessionsEveryMs),
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

  /** Sends away whoever's session has ended without a word of it. */
  async endDeadSessions(): Promise<void> {
    const sessionIds = new Set(this.listeners().map(({ caller }) => caller.sessionId));
    if (sessionIds.size === 0) return;
    try {
      for (const dead of await this.parts.listDeadSessions([...sessionIds])) await this.endSession(dead);
    } catch (error) {
      logger.warn({ reason: (error as Error).message }, 'sessions cannot be checked');
    }
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

  async upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    // Before anything else: a peer that is gone already would end the process.
    const onStreamError = () => stream.destroy();
    stream.on('error', onStreamError);
    const url = URL.parse(request.url ?? '', 'http://localhost');
    const open = url && this.opener(url);
    if (!open) return void stream.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
    try {
      const serve = await open(request, url.searchParams);
      stream.off('error', onStreamError);
      this.server.handleUpgrade(request, stream, head, (socket) => {
        socket.on('error', () => socket.terminate());
        socket.on('message', limitTalk(socket));
        serve(socket);
      });
    } catch (error) {
      logger.warn({ reason: (error as Error).message }, 'a socket could not be opened');
      stream.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nConnection: close\r\n\r\n');
    }
  }

  /** What a path serves: looks up what it needs, and answers what to do with the socket. */
  private opener({ pathname }: URL) {
    if (pathname === path) return this.openWebSocket.bind(this);
    return pathname === mqttPath ? this.openMqtt.bind(this) : undefined;
  }

  private async openWebSocket(request: IncomingMessage, query: URLSearchParams): Promise<(socket: WebSocket) => void> {
    const merchantUuid = query.get('merchant_uuid') ?? '';
    const given = tokenOf(request);
    const clientToken = given === undefined ? query.get('token') : null;
    const token = given ?? this.parts.tokenOfPage(request, merchantUuid);
    const identity = await this.identify(request, token, clientToken);
    if (!identity) return (socket) => socket.close(closeCodes.badToken);
    const { caller, isClient } = identity;
    const isOwn = caller.merchantUuid === merchantUuid.toLowerCase();
    if (!isOwn || !(isClient || mayListen(caller))) return (socket) => socket.close(closeCodes.foreignMerchant);
    const place = await this.startingPlace(caller, query.get('last_event_id'));
    return (socket) => void this.join(socket, identity, place, isClient ? this.encodeText : undefined);
  }

  /** Every client may connect; the answer to its first packet says whether it may stay. */
  private async openMqtt(request: IncomingMessage, query: URLSearchParams): Promise<(socket: WebSocket) => void> {
    const identity = await this.identify(request, undefined, query.get('X-Amz-Security-Token') ?? '');
    return (socket) => this.serveMqtt(socket, identity);
  }

  private serveMqtt(socket: WebSocket, identity: Identity | undefined): void {
    const topic = identity?.caller.accountUuid;
    let leave = (): void => undefined;
    serveMqtt(socket, {
      topic,
      leave: () => leave(),
      prepare: async () => {
        if (!identity || topic === undefined) return () => undefined;
        const place = await this.startingPlace(identity.caller, null);
        const encode = (message: Message) => {
          const text = this.encodeText(message);
          return text === undefined ? undefined : publishPacket(topic, text);
        };
        return () => (leave = this.join(socket, identity, place, encode));
      },
    });
  }

  private readonly encodeText = (message: Message): string | undefined => {
    const known = this.parts.presentForClient(message);
    return known && JSON.stringify(known);
  };

  /** By the token of the address when there is one, else by the usual one. Undefined: nobody who may listen. */
  private async identify(
    request: IncomingMessage,
    token: string | undefined,
    clientToken: string | null,
  ): Promise<Identity | undefined> {
    const clientAddress = this.parts.clientAddress(request);
    const authenticate = () =>
      clientToken === null
        ? this.parts.authenticate(token, clientAddress)
        : this.parts.authenticateChannel(clientToken, clientAddress);
    try {
      return { caller: await authenticate(), authenticate, isClient: clientToken !== null };
    } catch (error) {
      if (isDead(error)) return undefined;
      throw error;
    }
  }

  /** The place of a newcomer is read before its handshake ends, so that nothing after it can be missed. */
  private async startingPlace(caller: Caller, asked: string | null): Promise<number> {
    const newest = (await this.parts.lastPlaces([caller.merchantId])).get(caller.merchantId) ?? 0;
    return asked !== null && /^\d{1,15}$/.test(asked) ? Math.min(Number(asked), newest) : newest;
  }

  /** Returns how to leave while the socket stays. */
  private join(socket: WebSocket, identity: Identity, place: number, encode?: Listener['encode']): () => void {
    const { caller, authenticate, isClient } = identity;
    const listener: Listener = {
      socket,
      authenticate,
      caller,
      accountId: caller.role === 'merchant' && !isClient ? undefined : caller.accountId,
      place,
      isReplaying: true,
      unsentMessages: 0,
      isAlive: true,
      ...(encode && { encode }),
    };
    socket.on('pong', () => (listener.isAlive = true));
    const channel = this.channelOf(caller.merchantId, place);
    channel.members.add(listener);
    const leave = () => this.leave(caller.merchantId, channel, listener);
    socket.on('close', leave);
    // Its session may have ended while the handshake ran.
    void this.recheck(listener);
    this.replay(listener, channel).then(
      () => this.wake(caller.merchantId),
      () => socket.close(1011, 'replay failed'),
    );
    return leave;
  }

  private async recheck({ authenticate, socket }: Listener): Promise<void> {
    try {
      await authenticate();
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
