import { type z } from 'zod';
import { type Auth, type Caller } from '../auth';
import { type Answering, type Endpoint, type RequestFacts } from '../endpoint';
import { type Featured } from '../features';
import { type Html } from '../html';
import { type PolicyHosts } from './policy';
import { type Area } from './session';

/** A server-rendered page or a part of one: declared like an endpoint, listed in `src/endpoints.ts`, for people only. */

type Shape = z.ZodObject;
type Parsed<S extends Shape | undefined> = S extends Shape ? z.output<S> : undefined;
type CallerOf<A extends Auth> = A['kind'] extends 'anyone' | 'forgiving' ? Caller | undefined : Caller;

/** The input of an endpoint that a page calls, as texts like those of a form. */
export interface EndpointInput {
  params?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
}

/** Calls an endpoint as the visitor of this page, with all rules of a request to the API. */
export type CallEndpoint = <Body>(endpoint: Endpoint & Answering<Body>, sent?: EndpointInput) => Promise<Body>;

/** One request for a page. */
export interface Visit {
  /** The caller of the session in the cookie; undefined without a session, on a page for `anyone`. */
  caller: Caller | undefined;
  request: RequestFacts;
  /** The address as it was asked for, without the host: `/portal/…?page=2`. */
  address: string;
  method: 'get' | 'post';
  /** Requested by htmx: the answer replaces a part of the page. */
  isFragment: boolean;
  /** A random name of this browser until it closes. It distinguishes visitors without identifying them. */
  visitorName: string;
  /** Shown in a frame of another page. */
  isEmbedded: boolean;
  /** The public address of the service: `https://pay.example.org`. */
  origin: string;
  /** For `<script nonce>` and `<style nonce>`. The browser refuses scripts and styles without it. */
  nonce: string;
  /** The token that a form or an htmx request must send back. `forms.ts` and the layout write it. */
  pageToken: string;
  /** Language tags, the most wanted first. */
  languages: readonly string[];
  call: CallEndpoint;
  /**
   * Calls an endpoint at most once for a form: if the same form is sent again with the same fields, it gets the first
   * answer. A refused call is not stored, so the form can be sent again.
   */
  callOnce: CallEndpoint;
  /** Streams the file that an endpoint answers, whatever its size. */
  file: (endpoint: Endpoint, sent?: EndpointInput) => Promise<PageResponse>;
  /** Whether the merchant has turned a feature off. Its parts of the page are not shown. */
  isOff: (feature: string) => boolean;
  /** The same visit after a sign-in, with the caller of the access token. */
  signedIn: (token: string) => Promise<Visit>;
}

/** The input of a page's handler: the visit and the parsed fields. */
export type PageInput<
  A extends Auth,
  P extends Shape | undefined,
  Q extends Shape | undefined,
  F extends Shape | undefined,
> = Visit & { caller: CallerOf<A>; params: Parsed<P>; query: Parsed<Q>; form: Parsed<F> };

export interface PageResponseOptions {
  status?: 200 | 401 | 402 | 403 | 404 | 409 | 422 | 429 | 500 | 503;
  /** Starts a session of the page's area with this access token, until its expiry (Unix seconds). */
  signIn?: { token: string; expiresAtSeconds: number };
  signOut?: true;
  headers?: Record<string, string>;
  /** The type of content that is not a page: a receipt, a list as CSV. */
  contentType?: string;
  /** The content is a merchant's own HTML: it gets no nonce and an opaque origin. The page is `isForFrames`. */
  isForeign?: true;
  /** Other hosts whose scripts and frames the page may load. */
  hosts?: PolicyHosts | undefined;
}

/** The answer of a page. */
export class PageResponse {
  constructor(
    /** Parts are sent as fast as the browser accepts them. */
    readonly content: Html | string | Uint8Array | AsyncIterable<string>,
    readonly options: PageResponseOptions = {},
  ) {}
}

/** Leads the browser elsewhere, after what it sent was done or because it must sign in first. */
export class Redirect {
  constructor(
    readonly to: string,
    readonly options: Pick<PageResponseOptions, 'signIn' | 'signOut' | 'headers'> = {},
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
  area: Area['kind'];
  auth: A;
  params?: P;
  query?: Q;
  /** Lenient: what a field must be is said by the endpoint that the page calls, and shown beside the field. */
  form?: F;
  /** Form fields that carry a card number; anywhere else one is refused. */
  cardNumberFields?: readonly string[];
  /** May be shown in a frame of any page. */
  isEmbeddable?: true;
  /**
   * Answers a merchant's own HTML. Only a frame receives it: opened as a page, under our address, it could pretend to be
   * a page of ours. A visitor who opens its address receives a page of ours that frames it.
   */
  isForFrames?: true;
  /** Where somebody without a session signs in. */
  signInAt?: (visit: Visit & { params: Parsed<P> }) => string;
  handler: (input: PageInput<A, P, Q, F>) => Promise<PageResponse | Redirect>;
}

export interface Page extends Omit<
  PageDeclaration<Auth, Shape | undefined, Shape | undefined, Shape | undefined>,
  'handler' | 'signInAt'
> {
  signInAt?: (visit: never) => string;
  handler: (input: never) => Promise<PageResponse | Redirect>;
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
