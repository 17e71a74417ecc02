import { randomUUID } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { type Request } from 'express';
import { bearerToken } from './auth';
import { type RequestFacts } from './endpoint';
import { hostOfUrl } from './hosts';

/** What a handler may know of a request. `ownHost`: of a page of our own, where the browser says that it is one. */
export function factsOf(request: IncomingMessage, ownHost?: string): RequestFacts {
  return {
    requestId: requestId(request),
    clientAddress: clientAddress(request as Request),
    host: hostOfPage(request, ownHost),
    bearer: bearerToken(request.headers.authorization),
    userAgent: request.headers['user-agent'],
    accept: request.headers.accept,
    acceptLanguage: request.headers['accept-language'],
    queryText: textAfter(request.url ?? '', '?'),
    idempotencyKey: textOf(request.headers['idempotency-key']),
    cookies: request.headers.cookie,
  };
}

function hostOfPage({ headers }: IncomingMessage, ownHost: string | undefined): string | undefined {
  if (ownHost !== undefined && headers['sec-fetch-site'] === 'same-origin') return ownHost;
  const page = headers.origin ?? headers.referer;
  return page === undefined ? undefined : hostOfUrl(page);
}

/** Behind a trusted proxy the one that it tells; a proxy that tells no address (`unknown`) is the client itself. */
function clientAddress(request: Request): string {
  const direct = request.socket.remoteAddress ?? '';
  if (request.headers['x-forwarded-for'] === undefined) return direct;
  const { ip } = request;
  return ip !== undefined && isIP(ip) !== 0 ? ip : direct;
}

function textAfter(text: string, mark: string): string {
  const start = text.indexOf(mark);
  return start === -1 ? '' : text.slice(start + mark.length);
}

const textOf = (header: string | string[] | undefined) => (typeof header === 'string' ? header : undefined);

const acceptableId = /^[\w-]{8,64}$/;

/** The one that was sent, where it is fit for a log; else a new one. */
export function requestId(request: IncomingMessage): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && acceptableId.test(sent) ? sent : randomUUID();
}
