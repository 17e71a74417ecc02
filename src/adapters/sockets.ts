import { type IncomingMessage } from 'node:http';
import { type Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { bearerToken, type Caller } from '../kit/auth';
import { logger } from './logger';
import { publishPacket, serveMqtt } from './mqttSocket';
import { isDead, SocketChannels, type ChannelParts, type Identity } from './socketChannels';
import { closeCodes, limitTalk, type Listener, type Message, type Start } from './socketListener';

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
/** How long a peer may take to answer our goodbye. */
const farewellMs = 2_000;

export interface SocketParts extends ChannelParts {
  authenticate(token: string | undefined, clientAddress: string): Promise<Caller>;
  /** By the short-lived token of clients that can name it in the address only. */
  authenticateChannel(token: string, clientAddress: string): Promise<Caller>;
  /** As those clients read a message; undefined for one that they do not know. */
  presentForClient(message: Message): object | undefined;
  /** Whether a listener may read what its merchant sells. */
  mayReadContent(caller: Caller): boolean;
  withoutContent(message: Message): Message;
  /** The token of a page of ours, which a browser sends by itself; undefined from any other page. */
  tokenOfPage(request: IncomingMessage, merchantUuid: string): string | undefined;
  clientAddress(request: IncomingMessage): string;
}

export class NotificationSockets {
  /** Who is connected, and what feeds them. */
  readonly channels: SocketChannels;
  private readonly server = new WebSocketServer({
    noServer: true,
    maxPayload: frameBytesMax,
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

  /** Tells everyone to reconnect elsewhere. */
  close(): void {
    this.channels.stop();
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
    if (await this.isTurnedOff(caller)) return (socket) => socket.close(closeCodes.turnedOff, 'turned off');
    const start = await this.startOf(caller, query.get('last_event_id'));
    return (socket) => void this.channels.join(socket, identity, start, this.encodingOf(identity));
  }

  /** Every client may connect; the answer to its first packet says whether it may stay. */
  private async openMqtt(request: IncomingMessage, query: URLSearchParams): Promise<(socket: WebSocket) => void> {
    const identity = await this.identify(request, undefined, query.get('X-Amz-Security-Token') ?? '');
    const isRefused = !identity || (await this.isTurnedOff(identity.caller));
    return (socket) => this.serveMqtt(socket, isRefused ? undefined : identity);
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

  /** Undefined: the whole message, as it is written once for all of its listeners. */
  private encodingOf({ caller, isClient }: Identity): Listener['encode'] {
    if (isClient) return this.encodeText;
    if (this.parts.mayReadContent(caller)) return undefined;
    return (message) => JSON.stringify(this.parts.withoutContent(message));
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
  private async startOf(caller: Caller, asked: string | null): Promise<Start> {
    const newest = (await this.parts.lastPlaces([caller.merchantId])).get(caller.merchantId) ?? 0;
    const place = asked !== null && /^\d{1,15}$/.test(asked) ? Math.min(Number(asked), newest) : newest;
    return { place, newest };
  }
}

/** A follower hears what its master lets it read (decisions 8). */
function mayListen(caller: Caller): boolean {
  return caller.role === 'consumer' || caller.scopes.includes('payments:read');
}

/** Browsers cannot set headers: they offer `paywall.v1, bearer.<token>` as subprotocols. */
function tokenOf(request: IncomingMessage): string | undefined {
  const sent = bearerToken(request.headers.authorization);
  if (sent !== undefined) return sent;
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  return offered.find((name) => name.startsWith('bearer.'))?.slice('bearer.'.length);
}
