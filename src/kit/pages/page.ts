import { type z } from 'zod';
import { type Auth, type Caller } from '../auth';
import { type Answering, type Endpoint, type RequestFacts } from '../endpoint';
import { type Featured } from '../features';
import { type Html } from '../html';
import { type Language } from '../languages';
import { type PolicyHosts } from './policy';
import { type Area } from './session';

/**
 * A page or a part of a page that the server renders. It is declared like an endpoint and listed in `src/endpoints.ts`.
 */

type Shape = z.ZodObject;
type Parsed<S extends Shape | undefined> = S extends Shape ? z.output<S> : undefined;
type CallerOf<A extends Auth> = A['kind'] extends 'anyone' | 'forgiving' ? Caller | undefined : Caller;

/** The input for an endpoint that a page calls, as texts like those of a form. */
export interface EndpointInput {
  params?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
  /** The body of an endpoint with `rawBodyMax`. */
  file?: Buffer | undefined;
}

/** Calls an endpoint as the visitor of this page, with all rules of a request to the API. */
export type CallEndpoint = <Body>(endpoint: Endpoint & Answering<Body>, sent?: EndpointInput) => Promise<Body>;

/** Who is signed in at the console, and at which merchant. */
export interface SignedIn {
  email: string;
  merchantName: string;
}

/** One request for a page. */
export interface Visit {
  /** The caller of the session in the cookie. Undefined without a session on a page for `anyone`. */
  caller: Caller | undefined;
  request: RequestFacts;
  /** The requested address without the host: `/portal/…?page=2`. */
  address: string;
  method: 'get' | 'post';
  /** Requested by htmx: the answer replaces a part of the page. */
  isFragment: boolean;
  /** A random name of this browser until it closes. It distinguishes visitors without identifying them. */
  visitorName: string;
  /**
   * A name of the account that is signed in. It does not identify the account. Forms contain it, so that the script of the
   * pages shows what a person typed to this person only. Undefined without a session.
   */
  personName: string | undefined;
  /** The address to return to after a sign-in: of the page with the form, if a form was sent and the browser names its page. */
  returnTo: string | undefined;
  /** Shown in a frame of another page. */
  isEmbedded: boolean;
  /** The public address of the service: `https://pay.example.org`. */
  origin: string;
  /** For `<script nonce>` and `<style nonce>`. The browser refuses scripts and styles without it. */
  nonce: string;
  /** The token that a form or an htmx request must send back. `forms.ts` and the layout write it. */
  pageToken: string;
  /** The visitor's language tags, in order of preference. */
  languages: readonly string[];
  /** The languages that the page has. */
  offered: readonly Language[];
  /** The time zone of the browser: `Europe/Berlin`. Undefined until the browser has sent it. */
  zone: string | undefined;
  /** The file of the form, on a page with `uploadMax`. Undefined if no file was chosen. */
  upload?: Buffer | undefined;
  call: CallEndpoint;
  /**
   * Calls an endpoint at most once for a form: if the same form is sent again with the same fields, it gets the first
   * answer. A refused call is not stored, so the form can be sent again.
   */
  callOnce: CallEndpoint;
  /** Streams a file of any size from an endpoint. */
  file: (endpoint: Endpoint, sent?: EndpointInput) => Promise<PageResponse>;
  /** Whether the merchant has turned a feature off. Pages do not show the parts of such a feature. */
  isOff: (feature: string) => boolean;
  /** Undefined on pages of customers, without a session, and for a part of a page. */
  signedInAs?: SignedIn | undefined;
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
  /** The content type, if the content is not a page: a receipt, a list as CSV. */
  contentType?: string;
  /**
   * The content is a merchant's own HTML: it gets no nonce and an opaque origin. Only for a page with `isForFrames`.
   */
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

/** Sends the browser to another address, after a finished form or to a sign-in. */
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
  /** The path with parameters in braces. A path for customers has the parameter `merchant_uuid`. */
  path: string;
  summary: string;
  /** The area whose cookie contains the session: the area of one merchant's customers, or the console. */
  area: Area['kind'];
  auth: A;
  params?: P;
  query?: Q;
  /**
   * The form, checked leniently. The endpoint that the page calls checks the rules of each field, and the page shows
   * its errors.
   */
  form?: F;
  /** Form fields that may contain a card number. In every other field a card number is refused. */
  cardNumberFields?: readonly string[];
  /** In bytes. The form is multipart and may have one file. A longer file is cut one byte behind this limit. */
  uploadMax?: number;
  /** The page may be shown in a frame of any page. */
  isEmbeddable?: true;
  /**
   * The page answers a merchant's own HTML. Only a frame receives it: as a page under our address, it could pretend to
   * be one of our pages. A visitor who opens the address receives a page of ours that frames it.
   */
  isForFrames?: true;
  /** The sign-in page for a visitor without a session. */
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

/** Name → declaration: the exports of a folder of `src/pages`. */
export type Pages = Record<string, Page>;
