import { type WebSocket } from 'ws';
import { type Caller } from '../kit/auth';

export const closeCodes = {
  badToken: 4401,
  foreignMerchant: 4403,
  tooSlow: 4408,
  turnedOff: 4410,
  restarting: 1012,
  policy: 1008,
} as const;

export const unsentBytesMax = 1024 * 1024;
const unsentMessagesMax = 1_000;
/** What a client may send, and in what time: clients here listen, and only MQTT has something to say at all. */
const talkMax = 50;
const talkPerMs = 5_000;

export interface Place {
  accountId: number;
  /** Set when it is for one session of the account only. */
  sessionId?: string;
  message: Message;
}

export interface Message {
  id: number;
  type: string;
  resource: object;
}

/** Where a newcomer goes on from, and where its merchant's events were when it came. */
export interface Start {
  place: number;
  newest: number;
}

/** One open socket, and how far it has heard. */
export interface Listener {
  socket: WebSocket;
  /** Throws `invalid_auth_token` once the caller may no longer listen. */
  authenticate: () => Promise<Caller>;
  caller: Caller;
  /** Undefined hears the whole merchant. */
  accountId: number | undefined;
  /** The id of the last message given to the socket. */
  place: number;
  /** Still hears what it missed; what is new waits for that. */
  isReplaying: boolean;
  unsentMessages: number;
  isAlive: boolean;
  /** A client of its own protocol: how it reads a message; undefined for one that it does not know. */
  encode?: (message: Message) => string | Buffer | undefined;
}

/** Hands a listener an event that is meant for it and that it has not had; one that does not keep up is sent away. */
export function give(listener: Listener, event: Place, text?: string): void {
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

/** Sends away a client that says more than any needs to: to be called for each thing that it says. */
export function limitTalk(socket: WebSocket): () => void {
  let since = Date.now();
  let said = 0;
  return () => {
    if (Date.now() - since > talkPerMs) [since, said] = [Date.now(), 0];
    said += 1;
    if (said > talkMax) socket.close(closeCodes.policy, 'too much talk');
  };
}

/** Settles once everything given so far is on its way. */
export function drained(listener: Listener): Promise<void> {
  return new Promise((resolve) => listener.socket.ping(undefined, undefined, () => resolve()));
}
