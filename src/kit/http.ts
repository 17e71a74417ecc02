import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { isNativeError } from 'node:util/types';
import { type Express, type NextFunction, type Request, type Response } from 'express';
import { type Logger } from 'pino';
import { type z } from 'zod';
import { bearerToken, mayCall, type Caller } from './auth';
import { noBody, parseQuery, readBody, readRawBody, type ParsedBody } from './body';
import { Answer, type Endpoint, type HandlerInput, type RequestFacts } from './endpoint';
import { AppError, errorBody } from './errors';
import { CommonHeaders, type Headers } from './headers';
import { hostOfUrl, networkOf } from './hosts';
import { type Idempotency, type StoredAnswer } from './idempotency';
import { type RateLimit, type RateLimiter } from './rateLimit';
import { expressPath, matchPath, methodsOf, type Route } from './routes';
import { refuseCardNumbers, validate } from './validate';

/** What the kit needs from outside: it knows no business and no database. */
export interface KitParts {
  /** Throws `invalid_auth_token`. */
  authenticate(token: string | undefined, clientAddress: string): Promise<Caller>;
  rateLimiter: RateLimiter;
  /** Requests a minute. */
  limits: { credentials: number; normal: number };
  idempotency: Idempotency;
  logger: Logger;
  /** In tests and development every answer is held against its declared schema. */
  checkAnswers: boolean;
  observe(route: string, method: string, status: number, seconds: number): void;
  /** The host name of pages of our own, if there is one. */
  ownHost: string | undefined;
  /** Of every answer: `headersOfAnswers`. */
  headers: CommonHeaders;
}

interface Context {
  parts: KitParts;
  route: Route;
  params: Record<string, string>;
  facts: RequestFacts;
  response: ServerResponse;
  /** Of every answer to this request, besides the common ones. */
  headers: Record<string, string>;
}

const fixedHeaders: Headers = {
  'Cache-Control': 'no-store',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Location, ETag, X-Request-Id, Retry-After, RateLimit, Idempotency-Replayed',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/** What every answer carries, whichever way it is made; `secure` is for browsers. */
export const headersOfAnswers = (secure: Headers) => new CommonHeaders({ ...secure, ...fixedHeaders });

/** Mounts every declaration on Express. */
export function mountRoutes(app: Express, routes: readonly Route[], parts: KitParts): void {
  app.use((request: Request, response: Response, next: NextFunction) => preflight(parts, request, response, next));
  for (const route of routes)
    app[route.endpoint.method](expressPath(route.endpoint.path), (request: Request, response: Response) =>
      serve(parts, route, request.params as Record<string, string>, request, response),
    );
  app.use((request: Request, response: Response) => {
    const allowed = methodsOf(routes, request.path).map((method) => method.toUpperCase());
    const error = new AppError(allowed.length > 0 ? 'method_not_allowed' : 'not_found');
    const own = { 'X-Request-Id': requestId(request), ...(allowed.length > 0 && { Allow: allowed.join(', ') }) };
    sendError(parts, request, response, error, own);
  });
  app.use((error: unknown, request: Request, response: Response, next: NextFunction) => {
    if (response.headersSent) return next(error);
    const isUndecodablePath = error instanceof URIError;
    const known = isUndecodablePath ? new AppError('malformed_request') : error;
    const id = requestId(request);
    sendError(parts, request, response, asAppError(parts, known, 'unmatched', id), { 'X-Request-Id': id });
  });
}

/** The way in for the endpoints marked `hot`: answered before Express walks its routes. False when none matches. */
export function hotHandler(routes: readonly Route[], parts: KitParts) {
  const hot = routes.filter((route) => route.endpoint.hot);
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    for (const route of hot) {
      if (request.method !== route.endpoint.method.toUpperCase()) continue;
      const params = matchPath(route, path);
      if (!params) continue;
      void serve(parts, route, params, request, response);
      return true;
    }
    return false;
  };
}

/** For a document that is no endpoint: the headers that every answer has. */
export const commonHeaders = (parts: KitParts) => (request: Request, response: Response, next: NextFunction) => {
  response.set({ ...parts.headers.all, 'X-Request-Id': requestId(request) });
  next();
};

/** CORS for any origin: a token travels in a header that a page must know, never in a cookie that a browser adds. */
function preflight(parts: KitParts, request: Request, response: Response, next: NextFunction): void {
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
  parts: KitParts,
  route: Route,
  params: Record<string, string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const startedAt = performance.now();
  const facts = factsOf(request, parts.ownHost);
  const headers = { 'X-Request-Id': facts.requestId };
  const context: Context = { parts, route, params, facts, response, headers };
  let caller: Caller | undefined;
  try {
    caller = await admit(context);
    const body = request.method === 'GET' ? noBody : await readSent(context, request);
    send(context, await answer(context, caller, request, body));
  } catch (error) {
    sendError(parts, request, response, asAppError(parts, error, route.name, facts.requestId), headers);
  }
  record(context, caller, startedAt);
}

/** What a handler may know of a request. `ownHost`: of a page of our own, where the browser says that it is one. */
export function factsOf(request: IncomingMessage, ownHost?: string): RequestFacts {
  return {
    requestId: requestId(request),
    clientAddress: clientAddress(request as Request),
    host: hostOfPage(request, ownHost),
    bearer: bearerToken(request.headers.authorization),
    userAgent: request.headers['user-agent'],
    accept: request.headers.accept,
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

async function readSent({ route, facts }: Context, request: IncomingMessage): Promise<ParsedBody> {
  const { rawBodyMax } = route.endpoint;
  if (rawBodyMax === undefined) return readBody(request);
  const sent = await readRawBody(request, rawBodyMax);
  facts.raw = { body: sent.raw, headers: request.headers };
  return sent;
}

/** Limits first, so that guessing costs nothing here; then the token, then what its bearer may call. */
async function admit(context: Context): Promise<Caller | undefined> {
  const { parts, route, facts } = context;
  const { auth, limit } = route.endpoint;
  if (limit === 'credentials')
    applyLimit(
      context,
      await parts.rateLimiter.countStrictly(`credentials:${networkOf(facts.clientAddress)}`, parts.limits.credentials),
    );
  if (auth.kind === 'anyone' || auth.kind === 'forgiving') {
    if (limit !== 'credentials') applyLimit(context, countAddress(context));
    return undefined;
  }
  const caller = await parts.authenticate(facts.bearer, facts.clientAddress);
  applyLimit(context, parts.rateLimiter.count(`session:${caller.sessionId}`, parts.limits.normal));
  if (!mayCall(auth, caller)) throw new AppError('forbidden');
  return caller;
}

/** What is signed as a whole comes from a provider, which tells of all its buyers from few addresses. */
const providerShare = 50;

function countAddress({ parts, route, facts }: Context): RateLimit {
  const isProviders = route.endpoint.rawBodyMax !== undefined;
  const key = `${isProviders ? 'provider' : 'address'}:${networkOf(facts.clientAddress)}`;
  return parts.rateLimiter.count(key, parts.limits.normal * (isProviders ? providerShare : 1));
}

function applyLimit(context: Context, state: RateLimit): void {
  context.headers['RateLimit'] = `limit=${state.limit}, remaining=${state.remaining}, reset=${state.resetSeconds}`;
  if (state.isExceeded) throw new AppError('too_many_requests', { retryAfterSeconds: state.resetSeconds });
}

async function answer(
  context: Context,
  caller: Caller | undefined,
  request: IncomingMessage,
  sent: ParsedBody,
): Promise<Sendable & { replayed?: boolean }> {
  const { endpoint } = context.route;
  refuseCardNumbers(sent.fields, endpoint.cardNumberFields ?? []);
  const { body, handler } = endpoint.instead?.isMeant(sent.fields, context.facts) ? endpoint.instead : endpoint;
  const input: HandlerInput<never, never, never, never> = {
    caller: caller as never,
    params: parsePath(endpoint, context.params) as never,
    query: (endpoint.query && readQuery(endpoint.query, request.url ?? '')) as never,
    body: (body && validate(body, sent.fields)) as never,
    request: context.facts,
  };
  const run = () => runHandler(context, handler, input);
  const key = request.headers['idempotency-key'];
  if (endpoint.method !== 'post' || typeof key !== 'string' || key === '') return run();
  return context.parts.idempotency.once(
    {
      scope: caller ? `account:${caller.accountId}` : `address:${context.facts.clientAddress}`,
      key,
      fingerprint: `${request.method} ${request.url}\n${sent.raw.toString('base64')}`,
    },
    () => run().then(asStored, clientErrorAsAnswer),
  );
}

const emptyQueries = new WeakMap<z.ZodObject, unknown>();

/** Most requests to the busiest endpoint have no query: what its schema makes of nothing is found once. */
function readQuery(schema: z.ZodObject, url: string): unknown {
  if (url.includes('?')) return validate(schema, parseQuery(url));
  const known = emptyQueries.get(schema);
  if (known !== undefined) return known;
  const query = Object.freeze(validate(schema, {}));
  emptyQueries.set(schema, query);
  return query;
}

/** A path that names nothing of ours is a resource that does not exist, not a malformed request. */
export function parsePath(endpoint: Pick<Endpoint, 'params' | 'errors'>, params: Record<string, string>): unknown {
  if (!endpoint.params) return undefined;
  const parsed = endpoint.params.safeParse(params);
  // PostgreSQL refuses to look for a text with NUL in it.
  const isStorable = !Object.values(params).some((value) => value.includes('\0'));
  if (!parsed.success || !isStorable)
    throw new AppError(endpoint.errors.find((code) => code.endsWith('_not_found')) ?? 'not_found');
  return parsed.data;
}

/** An answer on its way out: text, or the bytes of a document, which are never kept for a key. */
type Sendable = Omit<StoredAnswer, 'body'> & { body: string | Uint8Array; stream?: AsyncIterable<string> };

async function runHandler(
  context: Context,
  handler: Endpoint['handler'],
  input: HandlerInput<never, never, never, never>,
): Promise<Sendable> {
  const { endpoint, name } = context.route;
  const result = await handler(input as never);
  const given: Answer<unknown> = result instanceof Answer ? result : new Answer<unknown>(result);
  const { body, options } = given;
  if (context.parts.checkAnswers) {
    const checked = endpoint.response.safeParse(body);
    if (!checked.success) throw new Error(`${name} answered against its declaration: ${checked.error.message}`);
    if (options.json !== undefined && !isDeepStrictEqual(JSON.parse(options.json), JSON.parse(JSON.stringify(body))))
      throw new Error(`${name} answered with JSON that says something else than its body`);
  }
  const contentType = options.contentType ?? 'application/json; charset=utf-8';
  return {
    status: options.status ?? endpoint.status,
    headers: { ...options.headers, 'Content-Type': contentType },
    ...(options.stream && { stream: options.stream }),
    body:
      body instanceof Uint8Array ? body : options.contentType ? String(body) : (options.json ?? JSON.stringify(body)),
  };
}

function asStored({ body, ...answer }: Sendable): StoredAnswer {
  if (typeof body !== 'string') throw new Error('only text can be kept for an Idempotency-Key');
  return { ...answer, body };
}

/** What the client did wrong is an answer, which the same key repeats; that it must wait is none. */
function clientErrorAsAnswer(error: unknown): StoredAnswer {
  if (!(error instanceof AppError) || error.status >= 500 || error.status === 429) throw error;
  return {
    status: error.status,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: JSON.stringify(errorBody(error)),
  };
}

function send(context: Context, found: Sendable & { replayed?: boolean }): void {
  if (found.stream) return sendStream(context, found, found.stream);
  const { parts, response, headers } = context;
  const own = { ...headers, ...found.headers, ...(found.replayed && { 'Idempotency-Replayed': 'true' }) };
  parts.headers.send(response, found.status, own, found.body);
}

/** As fast as the client takes it, and no further when it goes away. What fails midway breaks off: half is not a whole. */
function sendStream(
  { headers, parts, route, facts, response }: Context,
  found: Sendable,
  pieces: AsyncIterable<string>,
) {
  response.writeHead(found.status, { ...parts.headers.all, ...headers, ...found.headers });
  pipeline(Readable.from(pieces), response).catch((error: Error) => {
    const { requestId } = facts;
    parts.logger.warn({ requestId, operation: route.name, reason: error.message }, 'a list was not sent to its end');
  });
}

function sendError(
  parts: KitParts,
  request: IncomingMessage,
  response: ServerResponse,
  error: AppError,
  headers: Headers,
): void {
  if (response.headersSent) return void response.destroy();
  const own = {
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    ...(error.details.retryAfterSeconds && { 'Retry-After': String(error.details.retryAfterSeconds) }),
    // What is left of a body that was refused unread would be taken for the next request.
    ...(!request.complete && request.method !== 'GET' && { Connection: 'close' }),
  };
  parts.headers.send(response, error.status, own, JSON.stringify(errorBody(error)));
}

/** The one place where an error of any kind becomes an answer. The request's body is never logged: it holds passwords. */
export function asAppError(parts: Pick<KitParts, 'logger'>, error: unknown, operation: string, id: string): AppError {
  if (error instanceof AppError) return error;
  if (isAboutErased(error)) return new AppError('account_not_found');
  if (isUnavailable(error)) {
    parts.logger.warn({ requestId: id, operation, reason: (error as Error).message }, 'a dependency is away');
    return new AppError('service_unavailable', { retryAfterSeconds: 2 });
  }
  parts.logger.error({ requestId: id, operation, err: error }, 'unexpected error');
  return new AppError('internal_error');
}

/** The database takes no row of an account that is erased: a replica may trust a session for moments longer than it lives. */
function isAboutErased(error: unknown): boolean {
  const { code, parent } = error as { code?: unknown; parent?: { code?: unknown } };
  return code === 'PW404' || parent?.code === 'PW404';
}

const unavailableCodes = /^(08|57P0|53)|^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT)$/;

function isUnavailable(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  const { code, parent } = error as { code?: unknown; parent?: unknown };
  if (typeof code === 'string' && unavailableCodes.test(code)) return true;
  if (/^SequelizeConnection/.test(error.name)) return true;
  if (/connection terminated|timeout exceeded when trying to connect/i.test(error.message)) return true;
  return parent !== undefined && parent !== error && isUnavailable(parent);
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

function requestId(request: IncomingMessage): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && acceptableId.test(sent) ? sent : randomUUID();
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
