import { connect } from 'node:net';
import { type Reply } from './client';
import { type TestApp } from './startApp';

export interface ErrorBody {
  code: number;
  message: string;
  error: string;
  explain: string;
  errors?: Record<string, string>;
}

type Address = Pick<TestApp, 'address'>;

interface Sent {
  body?: string | Buffer | FormData | ReadableStream<Uint8Array>;
  contentType?: string;
  token?: string;
  headers?: Record<string, string>;
}

/** A request whose body is sent exactly as given. */
export async function send<Body = ErrorBody>(
  app: Address,
  method: string,
  path: string,
  { body, contentType, token, headers }: Sent = {},
): Promise<Reply<Body>> {
  const response = await fetch(`${app.address}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(contentType !== undefined && { 'Content-Type': contentType }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: body instanceof Buffer ? new Uint8Array(body) : body }),
    ...(body instanceof ReadableStream && { duplex: 'half' as const }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
  return { status: response.status, headers: response.headers, body: (isJson ? JSON.parse(text) : text) as Body };
}

export const form = 'application/x-www-form-urlencoded';
export const json = 'application/json';

/** Writes bytes on a connection of its own, and returns everything until the server closes it. */
export function speak(app: Address, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(app.address).port), '127.0.0.1', () => socket.write(bytes, 'latin1'));
    let heard = '';
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
    socket.on('error', reject);
    socket.on('close', () => resolve(heard));
  });
}
