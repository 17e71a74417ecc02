import { randomUUID } from 'node:crypto';
import qs from 'qs';
import { WebSocket } from 'ws';
import { type EventMessage } from '../../src/notifications/events';
import { checkMessage } from './errorMessages';
import { type TestApp } from './startApp';
import { until } from './until';

export interface Reply<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

interface CallOptions {
  token?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

// The body's type is the caller's claim about what it asked for.
type AnyBody = Record<string, never>;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Calls the API as existing clients do: form-encoded, nested fields in brackets, the token as bearer. */
export async function call<Body = AnyBody>(
  app: Pick<TestApp, 'address'>,
  method: Method,
  path: string,
  fields?: Record<string, unknown>,
  { token, headers, signal }: CallOptions = {},
): Promise<Reply<Body>> {
  const response = await fetch(`${app.address}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(fields && { 'Content-Type': 'application/x-www-form-urlencoded' }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(fields && { body: qs.stringify(fields) }),
    ...(signal && { signal }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  const body: unknown = isJson ? JSON.parse(text) : text;
  checkMessage(response.status, body);
  return { status: response.status, headers: response.headers, body: body as Body };
}

/**
 * Requests a change of a subscription, and repeats the request with its key while the outcome is not known: the run of a busy
 * machine may not answer in time.
 */
export function requestChange<Body = AnyBody>(
  app: Pick<TestApp, 'address'>,
  method: Method,
  path: string,
  fields: Record<string, unknown> | undefined,
  { token, key = randomUUID() }: Pick<CallOptions, 'token'> & { key?: string },
): Promise<Reply<Body>> {
  const options = { ...(token !== undefined && { token }), headers: { 'Idempotency-Key': key } };
  return until(async () => {
    const reply = await call<Body>(app, method, path, fields, options);
    return reply.status !== 202 && reply.status !== 503 && reply;
  });
}

export interface Listening {
  heard: EventMessage[];
  /** Waits for the first message of a type. */
  hears(type: string): Promise<EventMessage>;
  closed: Promise<number>;
  close(): Promise<number>;
  socket: WebSocket;
}

/** Opens the notification channel and stores its messages. */
export async function listen(
  app: Pick<TestApp, 'address'>,
  options: { token: string; merchantUuid: string; lastEventId?: number },
): Promise<Listening> {
  const query = new URLSearchParams({ merchant_uuid: options.merchantUuid });
  if (options.lastEventId !== undefined) query.set('last_event_id', String(options.lastEventId));
  const socket = new WebSocket(`${app.address.replace('http', 'ws')}/notifications?${query.toString()}`, {
    headers: { Authorization: `Bearer ${options.token}` },
  });
  const heard: EventMessage[] = [];
  socket.on('message', (text: Buffer) => heard.push(JSON.parse(text.toString()) as EventMessage));
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  await new Promise<void>((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    heard,
    socket,
    closed,
    hears: (type) => until(() => heard.find((message) => message.type === type)),
    close: () => {
      socket.close();
      return closed;
    },
  };
}
