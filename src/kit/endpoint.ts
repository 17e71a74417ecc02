import { type IncomingHttpHeaders } from 'node:http';
import { type z } from 'zod';
import { type Auth, type Caller } from './auth';
import { type AppError, type ErrorCode } from './errors';
import { type Featured } from './features';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** What every handler may know of the request besides its parsed parts. */
export interface RequestFacts {
  requestId: string;
  clientAddress: string;
  /**
   * The host name of `Origin`, else of `Referer`, in lower case; our own where a browser says that the page is of ours
   * (`Sec-Fetch-Site`), which names neither in a plain request. Undefined without any, or when they name no host. What a
   * browser says of the page that calls, and what any other client may make up.
   */
  host: string | undefined;
  bearer: string | undefined;
  userAgent: string | undefined;
  /** The `Accept` header. */
  accept: string | undefined;
  /** The `Accept-Language` header. */
  acceptLanguage: string | undefined;
  /** What follows the `?` of the address, as it was sent: some clients put a URL there that they do not encode. */
  queryText: string;
  idempotencyKey: string | undefined;
  /** As the browser sent them. No session hangs on one: only a sign-in at another service keeps its secret so. */
  cookies: string | undefined;
  /** Of an endpoint with `rawBodyMax`: the body as it came, and the headers that may sign it. */
  raw?: { body: Buffer; headers: IncomingHttpHeaders };
}

/**
 * An answer with more than a body: headers, a body that is not JSON (`contentType`), or a redirect where the declared
 * success is none (`status`).
 */
export class Answer<Body> {
  constructor(
    readonly body: Body,
    readonly options: {
      headers?: Record<string, string>;
      contentType?: string;
      status?: 303;
      /** The body's JSON, where it was made before. */
      json?: Json;
      /** Sent in the body's place, piece by piece as the client takes it: a list of any length. Of GET only. */
      stream?: AsyncIterable<string>;
    } = {},
  ) {}
}

/** `bytes`: its length in UTF-8. To find it out of a text put together of others takes a copy of it. */
export interface Json {
  text: string;
  bytes: number;
}

type Shape = z.ZodObject;
type Parsed<S extends Shape | undefined> = S extends Shape ? z.output<S> : undefined;

/** `caller` exists only behind a token: the compiler refuses a handler that reads it on a public endpoint. */
type CallerOf<A extends Auth> = A['kind'] extends 'anyone' | 'forgiving' ? undefined : Caller;

export interface HandlerInput<
  A extends Auth,
  P extends Shape | undefined,
  Q extends Shape | undefined,
  B extends Shape | undefined,
> {
  caller: CallerOf<A>;
  params: Parsed<P>;
  query: Parsed<Q>;
  body: Parsed<B>;
  request: RequestFacts;
}

export interface Declaration<
  A extends Auth,
  P extends Shape | undefined,
  Q extends Shape | undefined,
  B extends Shape | undefined,
  R extends z.ZodType,
> extends Featured {
  method: Method;
  /** With parameters in braces: `/v2/items/{id}/access-fees`. */
  path: string;
  summary: string;
  auth: A;
  params?: P;
  query?: Q;
  body?: B;
  /** The status of a success. 303: every success is a redirect. */
  status: 200 | 201 | 202 | 303;
  response: R;
  /** What follows neither from `auth` (401, 403) nor from the schemas (400, 422). */
  errors: readonly ErrorCode[];
  /** `credentials`: guessing must be slow (decisions 14: 20 a minute and address). */
  limit?: 'credentials' | 'normal';
  /** Body fields that carry a card number; anywhere else one is refused (reliability 2.8). */
  cardNumberFields?: readonly string[];
  /** The answer is not JSON (a page, a document). */
  produces?: string;
  /** In bytes. The body is of any type and not read here: for what is signed as a whole (a provider's notifications). */
  rawBodyMax?: number;
  /** Of what people come to by a link: the page that a browser shows when the request is refused; programs get JSON. */
  refusal?: Refusal;
  /** What is called in place of `body` and `handler`, when a request is meant so. */
  instead?: Variant;
  handler: (input: HandlerInput<A, P, Q, B>) => Promise<z.input<R> | Answer<z.input<R>>>;
}

/** A refused request as a page; the path's parameters as they were sent. Its status is the error's. */
export type Refusal = (
  error: AppError,
  params: Readonly<Record<string, string>>,
  request: RequestFacts,
) => Promise<Answer<string>>;

/** Another call at the same path, for clients that always sent it there; its errors and answers are the endpoint's. */
export interface Variant {
  /** By what was sent, unchecked. */
  isMeant: (fields: Record<string, unknown>, request: RequestFacts) => boolean;
  body: Shape;
  handler: (input: never) => Promise<unknown>;
}

/** The identity function that infers a variant's types. */
export function variant<const B extends Shape>(
  declaration: Omit<Variant, 'body' | 'handler'> & {
    body: B;
    handler: (input: { body: z.output<B>; request: RequestFacts }) => Promise<unknown>;
  },
): Variant {
  return declaration;
}

/** A declaration whose types were checked where it was written; lists hold these. */
export interface Endpoint extends Omit<
  Declaration<Auth, Shape | undefined, Shape | undefined, Shape | undefined, z.ZodType>,
  'handler'
> {
  handler: (input: never) => Promise<unknown>;
}

/** Tells the type of a declaration's answers to who calls it from inside (`kit/pages/call`); nothing at run time. */
export interface Answering<Body> {
  readonly answers?: Body;
}

/** The identity function that infers a declaration's types. */
export function endpoint<
  const A extends Auth,
  R extends z.ZodType,
  P extends Shape | undefined = undefined,
  Q extends Shape | undefined = undefined,
  B extends Shape | undefined = undefined,
>(declaration: Declaration<A, P, Q, B, R>): Endpoint & Answering<z.output<R>> {
  return declaration;
}

/** Operation name → declaration: what a module exports and `src/endpoints.ts` collects. */
export type Endpoints = Record<string, Endpoint>;
