import { on, once } from 'node:events';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { Unexpected } from './api';
import { event, step } from './screen';

const waitMs = 60_000;

const Message = z.object({ type: z.string(), resource: z.record(z.string(), z.unknown()) });
type Message = z.output<typeof Message>;

export interface Listener {
  /** Waits for the next event, which must be of this type, and prints it with its time since the cause was sent. */
  hears(type: string, causeSentAtMs: number, tell: (resource: Message['resource']) => string): Promise<void>;
  close(): void;
}

/** Opens the notification channel. */
export async function listen(baseUrl: string, token: string, merchantUuid: string): Promise<Listener> {
  const began = performance.now();
  const url = `${baseUrl.replace(/^http/, 'ws')}/notifications?merchant_uuid=${merchantUuid}`;
  const socket = new WebSocket(url, { headers: { Authorization: `Bearer ${token}` } });
  const arrivals: number[] = [];
  socket.on('message', () => arrivals.push(performance.now()));
  const messages = on(socket, 'message', { signal: AbortSignal.timeout(waitMs) });
  await once(socket, 'open');
  step('opens the socket', 'GET /notifications', 101, performance.now() - began, 'listening');
  return {
    hears: async (type, causeSentAtMs, tell) => {
      const next = await messages.next().catch(() => undefined);
      if (!next) throw new Unexpected(`No ${type} came within ${waitMs / 1000} s. Is a worker running?`);
      const [text] = next.value as [Buffer];
      const message = Message.parse(JSON.parse(text.toString()));
      if (message.type !== type) throw new Unexpected(`${type} was to come, and ${text.toString()} came`);
      event(type, (arrivals.shift() ?? began) - causeSentAtMs, tell(message.resource));
    },
    close: () => socket.close(),
  };
}
