import { type z } from 'zod';
import { type Auth, type Caller } from '../auth';
import { type Answering, type Endpoint, type RequestFacts } from '../endpoint';
import { type Featured } from '../features';
import { type Html } from '../html';

/** A server-rendered page or a part of one: declared like an endpoint, listed in `src/endpoints.ts`, for people only. */

type Shape = z.ZodObject;
type Parsed<S extends Shape | undefined> = S extends Shape ? z.output<S> : undefined;
type CallerOf<A extends Auth> = A['kind'] extends 'anyone' | 'forgiving' ? Caller | undefined : Caller;

/** What is sent to an endpoint that a page calls: as texts, the way a form sends them. */
export interface Sent {
  params?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
}

/** Calls an endpoint as this page's visitor, by every rule that holds for a request from outside. */
export type CallEndpoint = <Body>(endpoint: Endpoint & Answering<Body>, sent?: Sent) => Promise<Body>;

/** One request for a page. */
export interface Visit {
  /** Whose session the cookie carries; of a page that `anyone` may see perhaps nobody's. */
  caller: Caller | undefined;
  request: RequestFacts;
  /** The address as it was asked for, without the host: `/portal/…?page=2`. */
  address: string;
  method: 'get' | 'post';
  /** Asked for by htmx: the answer takes a part of the page's place. */
  isFragment: boolean;
  /** What this browser is called here for as long as it runs: tells two visits apart, and nothing of who it is. */
  visitorName: string;
  /** Shown in a frame of another page. */
  isEmbedded: boolean;
  /** Where the service is reached: `https://pay.example.org`. */
  origin: string;
  /** For `<script nonce>` and `<style nonce>`; everything without it is refused by the browser. */
  nonce: string;
  /** What a form or an htmx request must send back: `forms.ts` and the layout write it. */
  pageToken: string;
  /** Language tags, the most wanted first. */
  languages: readonly string[];
  call: CallEndpoint;
  /** What an endpoint answers as a file, sent on as it comes, however long it is. */
  file: (endpoint: Endpoint, sent?: Sent) => Promise<Shown>;
  /** Whether the merchant has turned a feature off: what is a part of it is not shown. */
  isOff: (feature: string) => boolean;
  /** The same visit after a sign-in: what is shown next is shown to whom the access token belongs. */
  signedIn: (token: string) => Promise<Visit>;
}

/** What a page's handler gets: the visit, and what was sent, parsed. */
export type PageInput<
  A extends Auth,
  P extends Shape | undefined,
  Q extends Shape | undefined,
  F extends Shape | undefined,
> = Visit & { caller: CallerOf<A>; params: Parsed<P>; query: Parsed<Q>; form: Parsed<F> };

export interface ShownOptions {
  status?: 200 | 401 | 402 | 403 | 404 | 409 | 422 | 429 | 500 | 503;
  /** Starts a session of the page's area: its access token, and when that ends (Unix seconds). */
  signIn?: { token: string; expiresAtSeconds: number };
  signOut?: true;
  headers?: Record<string, string>;
  /** Bytes or text that are no page, with their type: a receipt, a list as CSV. */
  contentType?: string;
  /** Of an item's content, which is no text of ours: no nonce, no origin (decisions 11). */
  isForeign?: true;
}

/** What a page answers. */
export class Shown {
  constructor(
    /** In pieces: sent as fast as the browser takes them. */
    readonly content: Html | string | Uint8Array | AsyncIterable<string>,
    readonly options: ShownOptions = {},
  ) {}
}

/** Leads the browser elsewhere, after what it sent was done or because it must sign in first. */
export class Redirect {
  constructor(
    readonly to: string,
    readonly options: Pick<ShownOptions, 'signIn' | 'signOut' | 'headers'> = {},
  ) {}
}

export interface PageDeclaration<
  A extends Auth,
  P extends Shape | undefined,
  Q extends Shape | undefined,
  F extends Shape | undefined,
> extends Pick<Featured, 'feature'> {
  method: 'get' | 'post';
  /** With parameters in braces. An area of customers has the parameter `merchant_uuid`. */
  path: string;
  summary: string;
  /** Which cookie tells the session: a customer's of one merchant, or a merchant's in the console. */
  area: 'customer' | 'console';
  auth: A;
  params?: P;
  query?: Q;
  /** Lenient: what a field must be is said by the endpoint that the page calls, and shown beside the field. */
  form?: F;
  /** Form fields that carry a card number; anywhere else one is refused. */
  cardNumberFields?: readonly string[];
  /** May be shown in a frame of any page. */
  isEmbeddable?: true;
  /** Where somebody without a session signs in. */
  signInAt?: (visit: Visit & { params: Parsed<P> }) => string;
  handler: (input: PageInput<A, P, Q, F>) => Promise<Shown | Redirect>;
}

export interface Page extends Omit<
  PageDeclaration<Auth, Shape | undefined, Shape | undefined, Shape | undefined>,
  'handler' | 'signInAt'
> {
  signInAt?: (visit: never) => string;
  handler: (input: never) => Promise<Shown | Redirect>;
}

/** The identity function that infers a declaration's types. */
export function page<
  const A extends Auth,
  P extends Shape | undefined = undefined,
  Q extends Shape | undefined = undefined,
  F extends Shape | undefined = undefined,
>(declaration: PageDeclaration<A, P, Q, F>): Page {
  return declaration;
}

/** Name → declaration: what a folder of `src/pages` exports. */
export type Pages = Record<string, Page>;
