import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

export interface ReceivedRequest {
  method: string;
  /** Without the query; each part is decoded. */
  parts: string[];
  query: URLSearchParams;
  /** The key of the account, from `Authorization: Bearer`. Empty: a browser. */
  key: string;
  body: string;
}

/** `body`: a text is a page, and an object is JSON. */
export interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** Undefined: the request never gets an answer, and its connection is cut. */
export type Answering = (request: ReceivedRequest) => Promise<Answer | undefined>;

export interface RunningServer {
  url: string;
  stop: () => Promise<void>;
}

export async function listen(
  answer: Answering,
  { port, host }: { port: number; host: string },
): Promise<RunningServer> {
  const server = createServer((request, response) => void serve(answer, request, response));
  // If a connection were closed while a client uses it again, the provider would look unavailable.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function serve(answer: Answering, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const given = await readRequest(request).then(answer, () => ({ status: 400, body: { error: badRequest } }));
  if (given) write(response, given);
  else response.destroy();
}

const badRequest = { code: 'bad_request', message: 'The request cannot be read.' };

async function readRequest(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://provider');
  const parts = pathname.split('/').slice(1).map(decodeURIComponent);
  const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  return {
    method: request.method ?? 'GET',
    parts,
    query: searchParams,
    key,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function write(response: ServerResponse, { status, body, headers }: Answer): void {
  const isText = typeof body === 'string';
  const type = isText ? 'text/html; charset=utf-8' : 'application/json';
  response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store', ...headers });
  response.end(isText ? body : JSON.stringify(body));
}
