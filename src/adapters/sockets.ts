import { type IncomingMessage } from 'node:http';
import { type Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { bearerToken, type Caller } from '../kit/auth';
import { logger } from './logger';
import { publishPacket, serveMqtt } from './mqttSocket';
import { type SocketLimits } from './socketLimits';
import { isDead, SocketChannels, type ChannelParts, type Identity } from './socketChannels';
import { closeCodes, limitTalk, type Listener, type Message, type Start } from './socketListener';

/**
 * The channels of events. `/notifications` sends one message per frame. `/mqtt` sends the same messages to apps that use
 * MQTT; the topic is the account's uuid. One reader per merchant serves both.
 */

const path = '/notifications';
const mqttPath = '/mqtt';
const protocol = 'paywall.v1';
const mqttProtocols = ['mqtt', 'mqttv3.1'];
/** No client needs to send a message in parts. Empty parts would not count as messages. */
const fragmentsMax = 16;
/** Longer than any frame that a client needs to send. */
const frameBytesMax = 4096;
/** How long a client may take to answer the close frame. */
const farewellMs = 2_000;

export interface SocketParts extends ChannelParts {
  authenticate(token: string | undefined, clientAddress: string): Promise<Caller>;
  /** Authenticates by the short-lived token in the address, for clients that cannot send it elsewhere. */
  authenticateChannel(token: string, clientAddress: string): Promise<Caller>;
  /** A message in the form that those clients read; undefined if they do not know its type. */
  presentForClient(message: Message): object | undefined;
  /** Whether a caller may read the content that the merchant sells; `withoutContent` removes it from a message. */
  mayReadContent(caller: Caller): boolean;
  withoutContent(message: Message): Message;
  /** The token in the cookie of our own pages; undefined for a request from any other page. */
  tokenOfPage(request: IncomingMessage, merchantUuid: string): string | undefined;
  clientAddress(request: IncomingMessage): string;
  limits: Pick<SocketLimits, 'mayOpen' | 'add'>;
}

/** What to do with a socket once it is open. `accountId`: its account, if its token is valid. */
interface Opened {
  serve: (socket: WebSocket) => void;
  accountId?: number;
}

const refusedWith = (code: number, reason?: string): Opened => ({ serve: (socket) => socket.close(code, reason) });

export class NotificationSockets {
  /** The connected sockets and their readers. */
  readonly channels: SocketChannels;
  private readonly server = new WebSocketServer({
    noServer: true,
    maxPayload: frameBytesMax,
    maxFragments: fragmentsMax,
    perMessageDeflate: false,
    handleProtocols: (offered) => [protocol, ...mqttProtocols].find((name) => offered.has(name)) ?? false,
  });

  constructor(private readonly parts: SocketParts) {
    this.channels = new SocketChannels(parts);
  }

  start(): void {
    this.channels.start();
  }

  count(): number {
    return this.server.clients.size;
  }

  /** Closes all sockets, so that clients connect to another replica. */
  close(): void {
    this.channels.stop();
    for (const socket of this.server.clients) socket.close(closeCodes.restarting, 'restarting');
    setTimeout(() => this.server.clients.forEach((socket) => socket.terminate()), farewellMs).unref();
    this.server.close();
  }

  async upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    // This must come first: an unhandled error of a closed socket would end the process.
    const onStreamError = () => stream.destroy();
    stream.on('error', onStreamError);
    const url = URL.parse(request.url ?? '', 'http://localhost');
    const open = url && this.opener(url);
    if (!open) return void stream.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
    const clientAddress = this.parts.clientAddress(request);
    if (!this.parts.limits.mayOpen(clientAddress))
      return void stream.end('HTTP/1.1 429 Too Many Requests\r\nRetry-After: 60\r\nConnection: close\r\n\r\n');
    try {
      const { serve, accountId } = await open(request, url.searchParams);
      stream.off('error', onStreamError);
      this.server.handleUpgrade(request, stream, head, (socket) => {
        socket.on('error', () => socket.terminate());
        socket.on('message', limitTalk(socket));
        this.parts.limits.add(socket, accountId, clientAddress);
        serve(socket);
      });
    } catch (error) {
      logger.warn({ reason: (error as Error).message }, 'a socket could not be opened');
      stream.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nConnection: close\r\n\r\n');
    }
  }

  /** Selects the handler of a path and returns what to do with the socket. */
  private opener({ pathname }: URL) {
    if (pathname === path) return this.openWebSocket.bind(this);
    return pathname === mqttPath ? this.openMqtt.bind(this) : undefined;
  }

  private async openWebSocket(request: IncomingMessage, query: URLSearchParams): Promise<Opened> {
    const merchantUuid = query.get('merchant_uuid') ?? '';
    const given = tokenOf(request);
    const clientToken = given === undefined ? query.get('token') : null;
    const token = given ?? this.parts.tokenOfPage(request, merchantUuid);
    const identity = await this.identify(request, token, clientToken);
    if (!identity) return refusedWith(closeCodes.badToken);
    const { caller, isClient } = identity;
    const isOwn = caller.merchantUuid === merchantUuid.toLowerCase();
    if (!isOwn || !(isClient || mayListen(caller))) return refusedWith(closeCodes.foreignMerchant);
    if (await this.isTurnedOff(caller)) return refusedWith(closeCodes.turnedOff, 'turned off');
    const start = await this.startOf(caller, query.get('last_event_id'));
    const serve = (socket: WebSocket) => void this.channels.join(socket, identity, start, this.encodingOf(identity));
    return { serve, accountId: caller.accountId };
  }

  /** Every client may connect. The answer to its first packet accepts or refuses it. */
  private async openMqtt(request: IncomingMessage, query: URLSearchParams): Promise<Opened> {
    const identity = await this.identify(request, undefined, query.get('X-Amz-Security-Token') ?? '');
    const isRefused = !identity || (await this.isTurnedOff(identity.caller));
    const serve = (socket: WebSocket) => this.serveMqtt(socket, isRefused ? undefined : identity);
    return { serve, ...(identity && { accountId: identity.caller.accountId }) };
  }

  private async isTurnedOff({ merchantId }: Caller): Promise<boolean> {
    return (await this.parts.listTurnedOff([merchantId])).length > 0;
  }

  private serveMqtt(socket: WebSocket, identity: Identity | undefined): void {
    const topic = identity?.caller.accountUuid;
    let leave = (): void => undefined;
    serveMqtt(socket, {
      topic,
      leave: () => leave(),
      prepare: async () => {
        if (!identity || topic === undefined) return () => undefined;
        const start = await this.startOf(identity.caller, null);
        const encode = (message: Message) => {
          const text = this.encodeText(message);
          return text === undefined ? undefined : publishPacket(topic, text);
        };
        return () => (leave = this.channels.join(socket, identity, start, encode));
      },
    });
  }

  /** Undefined for the whole message, whose text is created once for all of its listeners. */
  private encodingOf({ caller, isClient }: Identity): Listener['encode'] {
    if (isClient) return this.encodeText;
    if (this.parts.mayReadContent(caller)) return undefined;
    return (message) => JSON.stringify(this.parts.withoutContent(message));
  }

  private readonly encodeText = (message: Message): string | undefined => {
    const known = this.parts.presentForClient(message);
    return known && JSON.stringify(known);
  };

  /** Identifies the client by the token in the address, or else by the usual token. Undefined if it may not listen. */
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

  /** The start is read before the handshake ends, so that the client misses no later event. */
  private async startOf(caller: Caller, requested: string | null): Promise<Start> {
    const newest = (await this.parts.lastPlaces([caller.merchantId])).get(caller.merchantId) ?? 0;
    const place = requested !== null && /^\d{1,15}$/.test(requested) ? Math.min(Number(requested), newest) : newest;
    return { place, newest };
  }
}

/**
 * A merchant, a follower or a member of the staff receives events only with the scope to read payments, and with the second
 * factor that the merchant may require.
 */
function mayListen({ role, scopes, lacksFactor }: Caller): boolean {
  return role === 'consumer' || (scopes.includes('payments:read') && lacksFactor !== true);
}

/** Browsers cannot set headers: they offer `paywall.v1, bearer.<token>` as subprotocols. */
function tokenOf(request: IncomingMessage): string | undefined {
  const sent = bearerToken(request.headers.authorization);
  if (sent !== undefined) return sent;
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  return offered.find((name) => name.startsWith('bearer.'))?.slice('bearer.'.length);
}
