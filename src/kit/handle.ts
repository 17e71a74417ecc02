import { type IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type Admitted } from './admission';
import { type Caller } from './auth';
import { Answer, type Endpoint, type HandlerInput, type Json } from './endpoint';
import { AppError, errorBody, type ErrorCode } from './errors';
import { type StoredAnswer } from './idempotency';
import { type Context } from './dependencies';
import { callHandler } from './handlers';

/** An answer to send: text, or the bytes of a document. Documents are never stored for an Idempotency-Key. */
export type Sendable = Omit<StoredAnswer, 'body'> & {
  body: string | Uint8Array;
  /** The body's length, if it is known. */
  bytes?: number;
  stream?: AsyncIterable<string> | undefined;
  cookies?: readonly string[] | undefined;
};

/** Handles an admitted request: runs the handler once per key, and checks the answer. */
export async function handle(
  context: Context,
  { variant, ...admitted }: Admitted,
  request: IncomingMessage,
  raw: Buffer,
): Promise<Sendable & { replayed?: boolean }> {
  const { endpoint } = context.route;
  const { caller } = admitted;
  const { handler } = variant ?? endpoint;
  const input = { ...admitted, request: context.facts } as HandlerInput<never, never, never, never>;
  const run = () => runHandler(context, handler, input);
  const key = request.headers['idempotency-key'];
  if (endpoint.method !== 'post' || typeof key !== 'string' || key === '') return run();
  return context.parts.idempotency.once(
    {
      scope: caller ? `account:${caller.accountId}` : `address:${context.facts.clientAddress}`,
      key,
      fingerprint: `${request.method} ${request.url}\n${raw.toString('base64')}`,
    },
    () => run().then(asStored, clientErrorAsAnswer),
  );
}

async function runHandler(
  context: Context,
  handler: Endpoint['handler'],
  input: HandlerInput<never, never, never, never>,
): Promise<Sendable> {
  const { endpoint, name } = context.route;
  const { caller } = input as { caller: Caller | undefined };
  const { requestId } = context.facts;
  const { parts } = context;
  const call = { caller, method: endpoint.method, operation: name, requestId };
  const result = await callHandler(parts, call, () => handler(input as never));
  const given: Answer<unknown> = result instanceof Answer ? result : new Answer<unknown>(result);
  const { body, options } = given;
  if (parts.checkAnswers) {
    const checked = declaredBody(endpoint, given).safeParse(body);
    if (!checked.success) throw new Error(`${name} answered against its declaration: ${checked.error.message}`);
    if (options.json !== undefined && !saysWhat(options.json, body))
      throw new Error(`${name} answered with JSON that says something else than its body`);
  }
  const contentType = options.contentType ?? 'application/json; charset=utf-8';
  return {
    status: options.isPending ? 202 : (options.status ?? endpoint.status),
    ...(options.isPending && { isPending: true }),
    headers: { ...options.headers, 'Content-Type': contentType },
    stream: options.stream,
    cookies: options.cookies,
    ...bodyOf(given),
  };
}

/** A pending answer fails the check if the endpoint declares no `pending` schema. */
const declaredBody = ({ response, pending = z.never() }: Endpoint, { options }: Answer<unknown>) =>
  options.isPending ? pending : response;

function bodyOf({ body, options }: Answer<unknown>): Pick<Sendable, 'body' | 'bytes'> {
  if (options.json) return { body: options.json.text, bytes: options.json.bytes };
  return { body: body instanceof Uint8Array ? body : options.contentType ? String(body) : JSON.stringify(body) };
}

const saysWhat = ({ text, bytes }: Json, body: unknown) =>
  bytes === Buffer.byteLength(text) && isDeepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(body)));

function asStored({ status, headers, body, isPending }: Sendable): StoredAnswer {
  if (typeof body !== 'string') throw new Error('only text can be kept for an Idempotency-Key');
  return { status, headers, body, ...(isPending && { isPending }) };
}

/**
 * A client error is a final answer: the same key repeats it. An error that can pass without a change of the request is
 * not final: the client sends the same key again.
 */
function clientErrorAsAnswer(error: unknown): StoredAnswer {
  if (!(error instanceof AppError) || error.status >= 500 || passingErrors.includes(error.code)) throw error;
  return {
    status: error.status,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: JSON.stringify(errorBody(error)),
  };
}

const passingErrors: readonly ErrorCode[] = ['too_many_requests', 'provider_misconfigured'];
