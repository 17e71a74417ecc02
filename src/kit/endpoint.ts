import { type IncomingHttpHeaders } from 'node:http';
import { type z } from 'zod';
import { type Auth, type Caller } from './auth';
import { type AppError, type ErrorCode } from './errors';
import { type Featured } from './features';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Facts about a request besides its parsed fields, for every handler. */
export interface RequestFacts {
  requestId: string;
  clientAddress: string;
  /**
   * The host of the page that sent the request, in lower case: from `Origin`, or else from `Referer`. It is our own host if
   * `Sec-Fetch-Site` says so, because a browser sends neither header with a plain request to the same origin. Undefined if
   * there is no host. Clients that are not browsers can send any value.
   */
  host: string | undefined;
  /** The host name in `Referer`. Set only if the `Origin` header names no host: a sandboxed frame sends `Origin: null`. */
  refererHost?: string | undefined;
  bearer: string | undefined;
  userAgent: string | undefined;
  /** The `Accept` header. */
  accept: string | undefined;
  /** The `Accept-Language` header. */
  acceptLanguage: string | undefined;
  /** The query string as it was sent, because some clients put a URL there without encoding it. */
  queryText: string;
  idempotencyKey: string | undefined;
  /** The `If-None-Match` header: the tags of the answers that the client has. */
  knownTags?: string | undefined;
  /** The cookies of the browser. The API has no session cookies: only a sign-in at another service uses one. */
  cookies: string | undefined;
  /** The random name of the browser, for a page. It lasts for many visits, and the cookie is set at a sign-in. */
  browser?: string;
  /** The unparsed body and the headers that may contain its signature. Only for an endpoint with `rawBodyMax`. */
  raw?: { body: Buffer; headers: IncomingHttpHeaders };
}

/** The hosts of the page that sent the request. */
export type PageHosts = Pick<RequestFacts, 'host' | 'refererHost'>;

/**
 * An answer with more than a body: headers, a body that is not JSON (`contentType`), or a redirect that replaces the
 * declared status (`status`). 304: the client has the body already.
 */
export class Answer<Body> {
  constructor(
    readonly body: Body,
    readonly options: {
      headers?: Record<string, string>;
      /** `Set-Cookie` headers, for an endpoint that a browser visits on its way to a page. */
      cookies?: readonly string[];
      contentType?: string;
      status?: 303 | 304;
      /** Status 202 with a body of `Declaration.pending`: the work has started, and its outcome is not known yet. */
      isPending?: true;
      /** The JSON of the body, if it exists already. */
      json?: Json;
      /** Sent in place of the body, in parts and as fast as the client reads: a list of any length. For GET only. */
      stream?: AsyncIterable<string>;
    } = {},
  ) {}
}

/** `bytes`: the length in UTF-8. Joining the parts to compute it would copy the text. */
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
  /**
   * The body of a 202 answer, for an endpoint whose work may outlast the request. The answer is not final: a repeated
   * request with the same `Idempotency-Key` reads the outcome and has no second effect.
   */
  pending?: z.ZodType;
  /** The errors that do not follow from `auth` (401, 403) or from the schemas (400, 422). */
  errors: readonly ErrorCode[];
  /**
   * Limits of an address in addition to those of the caller. `credentials` and `registrations`: failures count as
   * attempts, because guessing must be slow. `mails`: every request counts, because it can make us mail to a stranger.
   */
  limit?: 'credentials' | 'registrations' | 'mails' | 'normal';
  /** Body fields that may contain a card number. In every other field a card number is refused. */
  cardNumberFields?: readonly string[];
  /** The answer is not JSON (a page, a document). */
  produces?: string;
  /** In bytes. The body has any type and is not parsed: it is signed as a whole (a provider's notification), or is a file. */
  rawBodyMax?: number;
  /**
   * The page that a browser shows for a refused request to an address that people open by a link. Programs get JSON.
   */
  refusal?: Refusal;
  /** Replaces `query`, `body` and `handler` for some requests. */
  instead?: Variant;
  handler: (input: HandlerInput<A, P, Q, B>) => Promise<z.input<R> | Answer<z.input<R>>>;
}

/** Shows a refused request as a page with the status of the error. `params` are unchecked. */
export type Refusal = (
  error: AppError,
  params: Readonly<Record<string, string>>,
  request: RequestFacts,
) => Promise<Answer<string>>;

/** The facts by which a variant recognises its requests. `query` and `fields` are unchecked. */
export interface VariantRequest {
  caller: Caller | undefined;
  query: Readonly<Record<string, unknown>>;
  fields: Readonly<Record<string, unknown>>;
  request: RequestFacts;
}

/**
 * Another call at the same path, sent by existing clients. It has the path, rights, errors and answers of the endpoint.
 */
export interface Variant {
  summary: string;
  isMeant: (request: VariantRequest) => boolean;
  query?: Shape;
  body?: Shape;
  handler: (input: never) => Promise<unknown>;
}

/** The identity function that infers a variant's types. `_of`: the rights and the path of its endpoint. */
export function variant<
  const A extends Auth,
  P extends Shape | undefined = undefined,
  Q extends Shape | undefined = undefined,
  B extends Shape | undefined = undefined,
>(
  _of: { auth: A; params?: P },
  declaration: Omit<Variant, 'query' | 'body' | 'handler'> & {
    query?: Q;
    body?: B;
    handler: (input: HandlerInput<A, P, Q, B>) => Promise<unknown>;
  },
): Variant {
  return declaration as Variant;
}

/** The summary of an endpoint with that of its variant. */
export function summaryOf({ summary, instead }: Pick<Endpoint, 'summary' | 'instead'>): string {
  return instead ? `${summary}, or ${instead.summary.charAt(0).toLowerCase()}${instead.summary.slice(1)}` : summary;
}

/** A declaration without the types that were checked where it was written, for lists of declarations. */
export interface Endpoint extends Omit<
  Declaration<Auth, Shape | undefined, Shape | undefined, Shape | undefined, z.ZodType>,
  'handler'
> {
  handler: (input: never) => Promise<unknown>;
}

/** The type of a declaration's response, for calls from inside (`kit/pages/call`). It has no effect at run time. */
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

/** Operation name → declaration: the exports of a module that `src/endpoints.ts` collects. */
export type Endpoints = Record<string, Endpoint>;
