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
}

interface Context {
  parts: KitParts;
  route: Route;
  params: Record<string, string>;
  facts: RequestFacts;
  response: ServerResponse;
  /** Of every answer to this request. Kept here until `writeHead`: one `setHeader` before it costs 6 µs more. */
  headers: Record<string, string>;
}

const fixedHeaders: Record<string, string> = {
  'Cache-Control': 'no-store',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Location, X-Request-Id, Retry-After, RateLimit, Idempotency-Replayed',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/** Mounts every declaration on Express. */
export function mountRoutes(app: Express, routes: readonly Route[], parts: KitParts): void {
  app.use(preflight);
  for (const route of routes)
    app[route.endpoint.method](expressPath(route.endpoint.path), (request: Request, response: Response) =>
      serve(parts, route, request.params as Record<string, string>, request, response),
    );
  app.use((request: Request, response: Response) => {
    const allowed = methodsOf(routes, request.path).map((method) => method.toUpperCase());
    if (allowed.length > 0) response.setHeader('Allow', allowed.join(', '));
    sendError(request, response, new AppError(allowed.length > 0 ? 'method_not_allowed' : 'not_found'));
  });
  app.use((error: unknown, request: Request, response: Response, next: NextFunction) => {
    if (response.headersSent) return next(error);
    const isUndecodablePath = error instanceof URIError;
    const known = isUndecodablePath ? new AppError('malformed_request') : error;
    sendError(request, response, asAppError(parts, known, 'unmatched', requestId(request)));
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
export function commonHeaders(request: Request, response: Response, next: NextFunction): void {
  response.set({ ...fixedHeaders, 'X-Request-Id': requestId(request) });
  next();
}

/** CORS for any origin: a token travels in a header that a page must know, never in a cookie that a browser adds. */
function preflight(request: Request, response: Response, next: NextFunction): void {
  if (request.method !== 'OPTIONS') return next();
  response
    .writeHead(204, {
      ...fixedHeaders,
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
  const facts: RequestFacts = {
    requestId: requestId(request),
    clientAddress: clientAddress(request as Request),
    host: hostOfUrl(request.headers.origin ?? request.headers.referer),
    bearer: bearerToken(request.headers.authorization),
    userAgent: request.headers['user-agent'],
    queryText: textAfter(request.url ?? '', '?'),
    idempotencyKey: textOf(request.headers['idempotency-key']),
    cookies: request.headers.cookie,
  };
  const headers = { ...fixedHeaders, 'X-Request-Id': facts.requestId };
  const context: Context = { parts, route, params, facts, response, headers };
  let caller: Caller | undefined;
  try {
    caller = await admit(context);
    const body = request.method === 'GET' ? noBody : await readSent(context, request);
    send(context, await answer(context, caller, request, body));
  } catch (error) {
    sendError(request, response, asAppError(parts, error, route.name, facts.requestId), headers);
  }
  record(context, caller, startedAt);
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
    if (limit !== 'credentials')
      applyLimit(context, parts.rateLimiter.count(`address:${networkOf(facts.clientAddress)}`, parts.limits.normal));
    return undefined;
  }
  const caller = await parts.authenticate(facts.bearer, facts.clientAddress);
  applyLimit(context, parts.rateLimiter.count(`session:${caller.sessionId}`, parts.limits.normal));
  if (!mayCall(auth, caller)) throw new AppError('forbidden');
  return caller;
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
  const input: HandlerInput<never, never, never, never> = {
    caller: caller as never,
    params: parsePath(endpoint, context.params) as never,
    query: (endpoint.query && readQuery(endpoint.query, request.url ?? '')) as never,
    body: (endpoint.body && validate(endpoint.body, sent.fields)) as never,
    request: context.facts,
  };
  const run = () => runHandler(context, input);
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
function parsePath(endpoint: Endpoint, params: Record<string, string>): unknown {
  if (!endpoint.params) return undefined;
  const parsed = endpoint.params.safeParse(params);
  // PostgreSQL refuses to look for a text with NUL in it.
  const isStorable = !Object.values(params).some((value) => value.includes('\0'));
  if (!parsed.success || !isStorable)
    throw new AppError(endpoint.errors.find((code) => code.endsWith('_not_found')) ?? 'not_found');
  return parsed.data;
}

/** An answer on its way out: text, or the bytes of a document, which are never kept for a key. */
type Sendable = Omit<StoredAnswer, 'body'> & { body: string | Uint8Array };

async function runHandler(context: Context, input: HandlerInput<never, never, never, never>): Promise<Sendable> {
  const { endpoint, name } = context.route;
  const result = await endpoint.handler(input as never);
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
  const length = Buffer.byteLength(found.body);
  context.response.writeHead(found.status, {
    ...context.headers,
    ...found.headers,
    'Content-Length': length,
    ...(found.replayed && { 'Idempotency-Replayed': 'true' }),
  });
  // A text of ASCII alone is the same bytes in Latin-1, which the engine writes as they are.
  context.response.end(found.body, length === found.body.length ? 'latin1' : 'utf8');
}

function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  error: AppError,
  headers: Record<string, string> = { ...fixedHeaders, 'X-Request-Id': requestId(request) },
): void {
  if (response.headersSent) return void response.destroy();
  const body = JSON.stringify(errorBody(error));
  response.writeHead(error.status, {
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...(error.details.retryAfterSeconds && { 'Retry-After': String(error.details.retryAfterSeconds) }),
    // What is left of a body that was refused unread would be taken for the next request.
    ...(!request.complete && request.method !== 'GET' && { Connection: 'close' }),
  });
  response.end(body);
}

/** The one place where an error of any kind becomes an answer. The request's body is never logged: it holds passwords. */
function asAppError(parts: KitParts, error: unknown, operation: string, id: string): AppError {
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
