import { type IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { type z } from 'zod';
import { type Caller } from './auth';
import { parseQuery, type ParsedBody } from './body';
import { Answer, type Endpoint, type HandlerInput, type Json } from './endpoint';
import { AppError, errorBody } from './errors';
import { isSwitchable, refuseTurnedOff } from './features';
import { type StoredAnswer } from './idempotency';
import { type Context } from './parts';
import { refuseCardNumbers, validate } from './validate';

/** An answer on its way out: text, or the bytes of a document, which are never kept for a key. */
export type Sendable = Omit<StoredAnswer, 'body'> & {
  body: string | Uint8Array;
  /** The body's length, where it is known. */
  bytes?: number;
  stream?: AsyncIterable<string> | undefined;
};

/** A request that was let in: read against its declaration, handled once for its key, its answer checked. */
export async function handle(
  context: Context,
  caller: Caller | undefined,
  request: IncomingMessage,
  sent: ParsedBody,
): Promise<Sendable & { replayed?: boolean }> {
  const { endpoint } = context.route;
  refuseCardNumbers(sent.fields, endpoint.cardNumberFields ?? []);
  if (isSwitchable(endpoint))
    await refuseTurnedOff(context.parts.featuresOff, endpoint, { caller, params: context.params, fields: sent.fields });
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
    if (options.json !== undefined && !saysWhat(options.json, body))
      throw new Error(`${name} answered with JSON that says something else than its body`);
  }
  const contentType = options.contentType ?? 'application/json; charset=utf-8';
  return {
    status: options.status ?? endpoint.status,
    headers: { ...options.headers, 'Content-Type': contentType },
    stream: options.stream,
    ...bodyOf(given),
  };
}

function bodyOf({ body, options }: Answer<unknown>): Pick<Sendable, 'body' | 'bytes'> {
  if (options.json) return { body: options.json.text, bytes: options.json.bytes };
  return { body: body instanceof Uint8Array ? body : options.contentType ? String(body) : JSON.stringify(body) };
}

const saysWhat = ({ text, bytes }: Json, body: unknown) =>
  bytes === Buffer.byteLength(text) && isDeepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(body)));

function asStored({ status, headers, body }: Sendable): StoredAnswer {
  if (typeof body !== 'string') throw new Error('only text can be kept for an Idempotency-Key');
  return { status, headers, body };
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
