import { type WebSocket } from 'ws';
import { type Caller } from '../kit/auth';

export const closeCodes = { badToken: 4401, foreignMerchant: 4403, tooSlow: 4408, restarting: 1012 } as const;

export const unsentBytesMax = 1024 * 1024;
const unsentMessagesMax = 1_000;

export interface Place {
  accountId: number;
  /** Set when it is for one session of the account only. */
  sessionId?: string;
  message: { id: number };
}

/** One open socket, and how far it has heard. */
export interface Listener {
  socket: WebSocket;
  token: string | undefined;
  caller: Caller;
  /** Undefined hears the whole merchant. */
  accountId: number | undefined;
  /** The id of the last message given to the socket. */
  place: number;
  /** Still hears what it missed; what is new waits for that. */
  isReplaying: boolean;
  unsentMessages: number;
  isAlive: boolean;
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
  listener.unsentMessages += 1;
  socket.send(text ?? JSON.stringify(event.message), () => (listener.unsentMessages -= 1));
}

/** Settles once everything given so far is on its way. */
export function drained(listener: Listener): Promise<void> {
  return new Promise((resolve) => listener.socket.ping(undefined, undefined, () => resolve()));
}
