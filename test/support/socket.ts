import { WebSocket, type ClientOptions } from 'ws';
import { type EventMessage } from '../../src/notifications/events';
import { type TestApp } from './startApp';

/** A socket to the notification channel, and its outcome. */
export interface Opened {
  socket: WebSocket;
  heard: EventMessage[];
  /** The code that it was closed with. */
  closed: Promise<number>;
  /** The HTTP status in place of a handshake, or 101. */
  answered: Promise<number>;
}

export function openSocket(
  app: Pick<TestApp, 'address'>,
  query: Record<string, string>,
  options: { headers?: Record<string, string>; protocols?: string[] } = {},
): Opened {
  const address = `${app.address.replace('http', 'ws')}/notifications?${new URLSearchParams(query).toString()}`;
  const clientOptions: ClientOptions = { ...(options.headers && { headers: options.headers }) };
  const socket = new WebSocket(address, options.protocols ?? [], clientOptions);
  const heard: EventMessage[] = [];
  socket.on('message', (text: Buffer) => heard.push(JSON.parse(text.toString()) as EventMessage));
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  const answered = new Promise<number>((resolve) => {
    socket.on('open', () => resolve(101));
    socket.on('unexpected-response', (request, response) => {
      resolve(response.statusCode ?? 0);
      request.destroy();
    });
  });
  socket.on('error', () => undefined);
  return { socket, heard, closed, answered };
}
