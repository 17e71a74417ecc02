import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { admit } from './admission';
import { ApiRequest } from './apiRequest';
import { type Caller } from './auth';
import { type Answer } from './endpoint';
import { AppError, errorBody } from './errors';
import { factsOf, requestId } from './facts';
import { asAppError, reportRefusal } from './failures';
import { handle, type Sendable } from './handle';
import { CommonHeaders, type Headers } from './headers';
import { networkOf } from './hosts';
import { type Context, type KitDependencies } from './dependencies';
import { refuseExceeded } from './rateLimit';
import { type FoundRoute, methodsOf, type Route, routeFinder } from './routes';
import { sendPieces } from './stream';
import { traceRequest } from './tracing';

const fixedHeaders: Headers = {
  'Cache-Control': 'no-store',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Location, ETag, Content-Disposition, X-Request-Id, Retry-After, RateLimit, Idempotency-Replayed',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/** The headers of every answer. `secure` headers are for browsers. */
export const headersOfAnswers = (secure: Headers) => new CommonHeaders({ ...secure, ...fixedHeaders });

/** Express middleware that answers the requests that match a declaration, HEAD like GET without the body. */
export function endpoints(routes: readonly Route[], parts: KitDependencies): RequestHandler {
  const find = routeFinder(routes);
  return (request, response, next) => {
    const found = find(request.method, pathOf(request.url));
    if (!found) return next();
    return traceRequest(request, response, found.route.endpoint.path, () => serve(parts, found, request, response));
  };
}

/** `/items/5` of `/items/5?explain=true`, and of `http://example.org/items/5`, which a proxy may send. */
function pathOf(url: string): string {
  if (!url.startsWith('/')) return URL.parse(url)?.pathname ?? '';
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/** Mounted last: answers preflight requests, requests that nothing else matches, and errors. */
export function mountUnmatched(app: Express, routes: readonly Route[], parts: KitDependencies): void {
  app.use((request: Request, response: Response, next: NextFunction) => preflight(parts, request, response, next));
  app.use((request: Request, response: Response) => {
    const allowed = methodsOf(routes, request.path).map((method) => method.toUpperCase());
    const error = new AppError(allowed.length > 0 ? 'method_not_allowed' : 'not_found');
    const own = { 'X-Request-Id': requestId(request), ...(allowed.length > 0 && { Allow: allowed.join(', ') }) };
    sendError(parts, request, response, error, own);
  });
  app.use((error: unknown, request: Request, response: Response, next: NextFunction) => {
    if (response.headersSent) return next(error);
    const isUndecodablePath = error instanceof URIError;
    const known = isUndecodablePath
      ? new AppError('malformed_request', { explain: 'The address cannot be read.' })
      : error;
    const id = requestId(request);
    sendError(parts, request, response, asAppError(parts, known, 'unmatched', id), { 'X-Request-Id': id });
  });
}

/** Sets the headers of every answer on a document that is not an endpoint. */
export const commonHeaders = (parts: KitDependencies) => (request: Request, response: Response, next: NextFunction) => {
  response.set({ ...parts.headers.all, 'X-Request-Id': requestId(request) });
  next();
};

/** Counts requests for documents that are not endpoints, by address. */
export const limitDocuments =
  (parts: KitDependencies) => (request: Request, _response: Response, next: NextFunction) => {
    const key = `documents:${networkOf(request.ip ?? '')}`;
    refuseExceeded(parts.rateLimiter.count(key, parts.limits.normal));
    next();
  };

/**
 * CORS for any origin. A page of another site must know the token to send it, because no browser adds the token by
 * itself.
 */
function preflight(parts: KitDependencies, request: Request, response: Response, next: NextFunction): void {
  if (request.method !== 'OPTIONS') return next();
  response
    .writeHead(204, {
      ...parts.headers.all,
      'X-Request-Id': requestId(request),
      'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
      'Access-Control-Allow-Headers':
        'Authorization, Content-Type, Accept, Idempotency-Key, X-Request-Id, Retry-Count, Authentication-Type',
      'Access-Control-Max-Age': '600',
    })
    .end();
}

async function serve(
  parts: KitDependencies,
  { route, params }: FoundRoute,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const startedAt = performance.now();
  const facts = factsOf(request, parts.ownHost);
  const headers = { 'X-Request-Id': facts.requestId };
  const context: Context = { parts, route, params, facts, response, headers };
  const sent = new ApiRequest(context, request);
  try {
    const admitted = await admit(route.endpoint, sent);
    send(context, await sent.watch(() => handle(context, admitted, request, sent.raw)));
  } catch (error) {
    reportRefusal(parts, sent.caller, route.endpoint, error);
    await refuse(context, request, asAppError(parts, error, route.name, facts.requestId));
  }
  record(context, sent.caller, startedAt);
}

function send(context: Context, found: Sendable & { replayed?: boolean }): void {
  if (found.stream) return sendStream(context, found, found.stream);
  const { parts, response, headers } = context;
  Object.assign(headers, found.headers);
  if (found.replayed) headers['Idempotency-Replayed'] = 'true';
  for (const cookie of found.cookies ?? []) response.appendHeader('Set-Cookie', cookie);
  parts.headers.send(response, found.status, headers, found.body, found.bytes);
}

function sendStream(
  { headers, parts, route, facts, response }: Context,
  found: Sendable,
  pieces: AsyncIterable<string>,
) {
  response.writeHead(found.status, { ...parts.headers.all, ...headers, ...found.headers });
  sendPieces(response, pieces, { logger: parts.logger, requestId: facts.requestId, operation: route.name });
}

/** Sends the error: as a page to a browser that followed a link, as JSON to programs. */
async function refuse(context: Context, request: IncomingMessage, error: AppError): Promise<void> {
  const { parts, response, headers } = context;
  const page = await refusalPage(context, error);
  if (!page || response.headersSent) return sendError(parts, request, response, error, headers);
  const own = { ...headers, ...page.options.headers, ...headersOfError(request, error), 'Content-Type': htmlType };
  parts.headers.send(response, error.status, own, page.body);
}

const htmlType = 'text/html; charset=utf-8';

/** The refusal page reads data, so an address above its limit gets JSON. */
async function refusalPage(
  { parts, route, params, facts }: Context,
  error: AppError,
): Promise<Answer<string> | undefined> {
  const { refusal } = route.endpoint;
  if (!refusal || facts.accept?.includes('text/html') !== true) return undefined;
  const key = `refused:${networkOf(facts.clientAddress)}`;
  if (parts.rateLimiter.count(key, parts.limits.normal).isExceeded) return undefined;
  try {
    return await refusal(error, params, facts);
  } catch (failure) {
    asAppError(parts, failure, route.name, facts.requestId);
    return undefined;
  }
}

/** The `Retry-After` header, and `Connection: close` after an unread body. */
function headersOfError(request: IncomingMessage, error: AppError): Headers {
  const { retryAfterSeconds } = error.details;
  return {
    ...(retryAfterSeconds && { 'Retry-After': String(retryAfterSeconds) }),
    // The unread rest of a refused body would be read as the next request.
    ...(!request.complete && request.method !== 'GET' && { Connection: 'close' }),
  };
}

function sendError(
  parts: KitDependencies,
  request: IncomingMessage,
  response: ServerResponse,
  error: AppError,
  headers: Headers,
): void {
  if (response.headersSent) return void response.destroy();
  const own = {
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    ...headersOfError(request, error),
  };
  parts.headers.send(response, error.status, own, JSON.stringify(errorBody(error)));
}

function record(context: Context, caller: Caller | undefined, startedAt: number): void {
  const { route, facts, response, parts } = context;
  const seconds = (performance.now() - startedAt) / 1000;
  parts.observe(route.endpoint.path, route.endpoint.method, response.statusCode, seconds);
  if (!parts.logger.isLevelEnabled('info')) return;
  parts.logger.info(
    {
      requestId: facts.requestId,
      operation: route.name,
      status: response.statusCode,
      ms: Math.round(seconds * 10_000) / 10,
      ...(caller && { accountId: caller.accountId, merchantId: caller.merchantId }),
    },
    `${route.endpoint.method.toUpperCase()} ${route.endpoint.path}`,
  );
}
