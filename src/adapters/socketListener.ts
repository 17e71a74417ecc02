import { type WebSocket } from 'ws';
import { type Caller } from '../kit/auth';
import { type TraceParent } from '../kit/tracing';

export const closeCodes = {
  badToken: 4401,
  foreignMerchant: 4403,
  tooSlow: 4408,
  tooMany: 4429,
  turnedOff: 4410,
  restarting: 1012,
  policy: 1008,
} as const;

export const unsentBytesMax = 1024 * 1024;
const unsentMessagesMax = 1_000;
/**
 * The most messages that a client may send, and per which time. Clients mainly listen; only MQTT requires them to send.
 */
const talkMax = 50;
const talkPerMs = 5_000;

export interface Delivery {
  accountId: number;
  /** Set if the message is for one session of the account only. */
  sessionId?: string;
  message: Message;
  /** The trace of the change that the event reports. */
  traceparent?: TraceParent | null;
}

export interface Message {
  id: number;
  type: string;
  resource: object;
}

/** The event after which a new listener starts, and the merchant's newest event at that time. */
export interface Start {
  place: number;
  newest: number;
}

/** An open socket with its position in the events. */
export interface Listener {
  socket: WebSocket;
  /** Throws `invalid_auth_token` if the caller may no longer listen. */
  authenticate: () => Promise<Caller>;
  caller: Caller;
  /** Undefined: all events of the merchant. */
  accountId: number | undefined;
  /** The id of the last message that was passed to the socket. */
  place: number;
  /** The listener still receives the events that it missed. New events wait for that. */
  isReplaying: boolean;
  unsentMessages: number;
  isAlive: boolean;
  /** Formats a message for clients with a protocol of their own; undefined for a message that they do not know. */
  encode?: (message: Message) => string | Buffer | undefined;
}

/**
 * Sends an event to a listener if the event is for it and was not sent before. A listener that is too slow is
 * disconnected.
 */
export function give(listener: Listener, event: Delivery, text?: string): void {
  if (event.message.id <= listener.place) return;
  if (listener.accountId !== undefined && listener.accountId !== event.accountId) return;
  const isForAnother = event.sessionId !== undefined && event.sessionId !== listener.caller.sessionId;
  if (listener.accountId !== undefined && isForAnother) return;
  const { socket } = listener;
  if (socket.readyState !== socket.OPEN) return;
  if (socket.bufferedAmount > unsentBytesMax || listener.unsentMessages >= unsentMessagesMax)
    return socket.close(closeCodes.tooSlow, 'too slow');
  listener.place = event.message.id;
  const frame = listener.encode ? listener.encode(event.message) : (text ?? JSON.stringify(event.message));
  if (frame === undefined) return;
  listener.unsentMessages += 1;
  socket.send(frame, () => (listener.unsentMessages -= 1));
}

/** Disconnects a client that sends more messages than any client needs. Call it for each message. */
export function limitTalk(socket: WebSocket): () => void {
  let since = Date.now();
  let said = 0;
  return () => {
    if (Date.now() - since > talkPerMs) [since, said] = [Date.now(), 0];
    said += 1;
    if (said > talkMax) socket.close(closeCodes.policy, 'too much talk');
  };
}

/** Resolves once all messages have been written to the network. */
export function drained(listener: Listener): Promise<void> {
  return new Promise((resolve) => listener.socket.ping(undefined, undefined, () => resolve()));
}
