import { randomUUID } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { type Request } from 'express';
import { bearerToken } from './auth';
import { type PageHosts, type RequestFacts } from './endpoint';
import { hostOfUrl } from './hosts';

/**
 * The facts about a request for its handler. `ownHost` is used as the host if the browser reports that the request
 * comes from one of our pages.
 */
export function factsOf(request: IncomingMessage, ownHost?: string): RequestFacts {
  return {
    requestId: requestId(request),
    clientAddress: clientAddress(request as Request),
    ...hostsOfPage(request, ownHost),
    bearer: bearerToken(request.headers.authorization),
    userAgent: request.headers['user-agent'],
    accept: request.headers.accept,
    acceptLanguage: request.headers['accept-language'],
    queryText: textAfter(request.url ?? '', '?'),
    idempotencyKey: textOf(request.headers['idempotency-key']),
    cookies: request.headers.cookie,
    knownTags: request.headers['if-none-match'],
  };
}

function hostsOfPage({ headers }: IncomingMessage, ownHost: string | undefined): PageHosts {
  if (ownHost !== undefined && headers['sec-fetch-site'] === 'same-origin') return { host: ownHost };
  const refererHost = hostOfUrl(headers.referer);
  if (headers.origin === undefined) return { host: refererHost };
  const host = hostOfUrl(headers.origin);
  return host === undefined ? { host, refererHost } : { host };
}

/**
 * Behind a trusted proxy, the address that the proxy reports. If the proxy reports none (`unknown`), the proxy is the
 * client.
 */
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

/** The id that the client sent, if it can be logged; otherwise a new one. */
export function requestId(request: IncomingMessage): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && acceptableId.test(sent) ? sent : randomUUID();
}
