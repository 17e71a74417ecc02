import { type WebSocket } from 'ws';
import { type Caller } from '../kit/auth';
import { recordSpan } from '../kit/tracing';
import { logger } from './logger';
import { closeCodes, drained, give, unsentBytesMax, type Listener, type Delivery, type Start } from './socketListener';

const pollEveryMs = 1_000;
/** An expired session causes no notice, and the notice of a revoked session may be lost. */
const checkSessionsEveryMs = 4_000;
const readBatch = 500;

export interface ChannelParts {
  listDeadSessions(sessionIds: string[]): Promise<string[]>;
  /** A merchant's events after a place, in order; only those of one account if it is given. */
  readEvents(audience: { merchantId: number; accountId?: number }, after: number, limit: number): Promise<Delivery[]>;
  lastPlaces(merchantIds: number[]): Promise<Map<number, number>>;
  /** The merchants among the given ones whose channel is turned off. */
  listTurnedOff(merchantIds: readonly number[]): Promise<number[]>;
  /** A peer that answers no ping within this time is dead. */
  pingEveryMs?: number;
}

/** The caller of a socket, and how to check again whether the caller may listen. */
export interface Identity {
  caller: Caller;
  authenticate: () => Promise<Caller>;
  /** The token was in the address: a client that receives only the events of its own account. */
  isClient: boolean;
}

/** The listeners of one merchant share one reader. */
interface Channel {
  place: number;
  members: Set<Listener>;
  reading: Promise<void> | undefined;
  readAgain: boolean;
}

/** The listeners of each merchant in this replica, and the reader that serves them. */
export class SocketChannels {
  private readonly channels = new Map<number, Channel>();
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(private readonly parts: ChannelParts) {}

  start(): void {
    this.timers.push(
      setInterval(() => void this.poll(), pollEveryMs),
      setInterval(() => this.ping(), this.parts.pingEveryMs ?? 30_000),
      setInterval(() => void this.endDeadSessions(), checkSessionsEveryMs),
      setInterval(() => void this.endTurnedOff(), checkSessionsEveryMs),
    );
  }

  stop(): void {
    this.timers.forEach(clearInterval);
  }

  /** A process has committed new events of a merchant. */
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

  /** Closes the sockets of an ended session after they have received the events up to its end. */
  async endSession(sessionId: string): Promise<void> {
    for (const [merchantId, channel] of [...this.channels]) {
      const ended = [...channel.members].filter((listener) => listener.caller.sessionId === sessionId);
      if (ended.length === 0) continue;
      this.wake(merchantId);
      await channel.reading;
      // The first reading may have begun before the events of the session's end were written.
      await channel.reading;
      for (const { socket } of ended) socket.close(closeCodes.badToken, 'session ended');
    }
  }

  /** The rights of an account have changed: its sockets are closed, so that clients connect and are checked again. */
  recheckAccount(accountId: number): void {
    for (const listener of this.listeners())
      if (listener.caller.accountId === accountId) listener.socket.close(closeCodes.restarting, 'come back');
  }

  /** The merchant may require a second factor now: the sockets of its people are closed, as above. Customers stay. */
  recheckPeople(merchantId: number): void {
    for (const { caller, socket } of this.listeners())
      if (caller.merchantId === merchantId && caller.role === 'merchant')
        socket.close(closeCodes.restarting, 'come back');
  }

  /** Closes the sockets of sessions that have ended without a notice. */
  async endDeadSessions(): Promise<void> {
    const sessionIds = new Set(this.listeners().map(({ caller }) => caller.sessionId));
    if (sessionIds.size === 0) return;
    try {
      for (const dead of await this.parts.listDeadSessions([...sessionIds])) await this.endSession(dead);
    } catch (error) {
      logger.warn({ reason: (error as Error).message }, 'sessions cannot be checked');
    }
  }

  /** Closes the sockets of merchants that have turned their channel off. */
  private async endTurnedOff(): Promise<void> {
    if (this.channels.size === 0) return;
    try {
      for (const merchantId of await this.parts.listTurnedOff([...this.channels.keys()]))
        for (const { socket } of this.channels.get(merchantId)?.members ?? [])
          socket.close(closeCodes.turnedOff, 'turned off');
    } catch (error) {
      logger.warn({ reason: (error as Error).message }, 'channels that are turned off cannot be read');
    }
  }

  /** Returns a function that removes the listener while its socket stays open. */
  join(socket: WebSocket, identity: Identity, { place, newest }: Start, encode?: Listener['encode']): () => void {
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
    const channel = this.channelOf(caller.merchantId, newest);
    channel.members.add(listener);
    const leave = () => this.leave(caller.merchantId, channel, listener);
    socket.on('close', leave);
    // The session may have ended during the handshake.
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

  /** A channel starts at the newest event. Events that a new listener missed are read for that listener alone. */
  private channelOf(merchantId: number, place: number): Channel {
    const known = this.channels.get(merchantId);
    if (known) return known;
    const opened: Channel = { place, members: new Set(), reading: undefined, readAgain: false };
    this.channels.set(merchantId, opened);
    return opened;
  }

  /** Sends the missed events up to the channel's place. There is no await after the last check, so there is no gap. */
  private async replay(listener: Listener, channel: Channel): Promise<void> {
    while (listener.place < channel.place && listener.socket.readyState === listener.socket.OPEN) {
      const upTo = channel.place;
      const { merchantId } = listener.caller;
      const audience = { merchantId, ...(listener.accountId !== undefined && { accountId: listener.accountId }) };
      const events = await this.parts.readEvents(audience, listener.place, readBatch);
      for (const event of events) {
        give(listener, event);
        // A listener that missed many events gets them at its own speed and does not count as slow.
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
          recordSpan(event.traceparent, { name: `event ${event.message.type}` });
        }
        if (events.length < readBatch) return;
      }
    } catch (error) {
      logger.warn({ reason: (error as Error).message }, 'events cannot be read');
    }
  }

  /** Reads all channels regularly, so that a lost notification delays events by a second only. */
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

/** Whether an error means that the session has ended. */
export function isDead(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'invalid_auth_token';
}
