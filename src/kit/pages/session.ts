import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type IncomingHttpHeaders } from 'node:http';
import { type Caller } from '../auth';
import { hostOfUrl } from '../hosts';

/**
 * Sessions of pages: the access token in a cookie that no script can read. A form is accepted only from a page of ours
 * (`Sec-Fetch-Site`, `Origin`), and with a token that another site cannot know.
 */

export type Area = { kind: 'customer'; merchantUuid: string } | { kind: 'console' } | { kind: 'operator' };

export interface CookieOptions {
  /** Whether the service is reached by https. */
  isSecure: boolean;
  /** Whether the page is in a frame of another site. Its cookies are separate for each such site (CHIPS). */
  isEmbedded: boolean;
  expiresAtSeconds?: number;
}

const visitorCookie = 'visitor';

export function sessionCookie(area: Area): string {
  return area.kind !== 'customer' ? area.kind : `customer_${area.merchantUuid.toLowerCase()}`;
}

export function readCookie(header: string | undefined, name: string, isSecure: boolean): string | undefined {
  const wanted = `${nameOf(name, isSecure)}=`;
  const found = (header ?? '').split(';').find((pair) => pair.trimStart().startsWith(wanted));
  const value = found?.trim().slice(wanted.length);
  return value === '' ? undefined : value;
}

/** Without a value, the header deletes the cookie. */
export function writeCookie(name: string, value: string | undefined, options: CookieOptions): string {
  const { isSecure, isEmbedded, expiresAtSeconds } = options;
  const expires = expiresAtSeconds === undefined ? [] : [`Expires=${new Date(expiresAtSeconds * 1000).toUTCString()}`];
  const ends = value === undefined ? ['Max-Age=0'] : expires;
  // A frame of another site receives no `Lax` cookie. Over http, a browser accepts only `Lax`.
  const site = isSecure && isEmbedded ? ['SameSite=None', 'Partitioned'] : ['SameSite=Lax'];
  const parts = [`${nameOf(name, isSecure)}=${value ?? ''}`, 'Path=/', 'HttpOnly', ...site, ...ends];
  return [...parts, ...(isSecure ? ['Secure'] : [])].join('; ');
}

/** The prefix `__Host-` prevents other hosts of the same domain from setting the cookie. */
const nameOf = (name: string, isSecure: boolean) => (isSecure ? `__Host-${name}` : name);

const browserCookie = 'browser';
const browserLastsSeconds = 400 * 86_400;

/** The name of a browser in which somebody has signed in. It lasts for many visits. */
export interface KnownBrowser {
  name: string;
  /** The browser has no cookie with the name yet. */
  isNew: boolean;
}

export function readBrowser(cookies: string | undefined, isSecure: boolean): KnownBrowser {
  const known = readCookie(cookies, browserCookie, isSecure);
  if (known !== undefined && /^[\w-]{22}$/.test(known)) return { name: known, isNew: false };
  return { name: randomBytes(16).toString('base64url'), isNew: true };
}

/** Each sign-in extends the life of the cookie. */
export function writeBrowser({ name }: KnownBrowser, options: CookieOptions): string {
  const expiresAtSeconds = Math.floor(Date.now() / 1000) + browserLastsSeconds;
  return writeCookie(browserCookie, name, { ...options, expiresAtSeconds });
}

/** The id of the visitor, if the browser has one. */
export function knownVisitor(cookies: string | undefined, isSecure: boolean): string | undefined {
  return readCookie(cookies, visitorCookie, isSecure);
}

/** A visitor: a browser until it closes. The token of a page is valid for one visitor only. */
export interface Visitor {
  id: string;
  /** The cookie for a browser that has none yet. */
  cookie: string | undefined;
}

export function readVisitor(cookies: string | undefined, options: CookieOptions): Visitor {
  const known = readCookie(cookies, visitorCookie, options.isSecure);
  if (known !== undefined && /^[\w-]{22}$/.test(known)) return { id: known, cookie: undefined };
  const id = randomBytes(16).toString('base64url');
  return { id, cookie: writeCookie(visitorCookie, id, options) };
}

/** The surroundings of a page: the host of the page around its frame, if it has a frame. */
export interface Place {
  /**
   * The host of the page around the frame, or our own host without a frame. Undefined if the page around hides its
   * host.
   */
  host: string | undefined;
  isEmbedded: boolean;
}

/**
 * Contains the place of the page, because later requests come from our own page and their headers do not name the
 * place. The signature is masked with other bytes in each page, so that the size of a compressed page does not reveal
 * it (BREACH).
 */
export function writePageToken(key: Buffer, visitorId: string, { host = '', isEmbedded }: Place): string {
  const place = `${isEmbedded ? 'frame' : 'window'} ${host}`;
  const mask = randomBytes(signatureBytes);
  const parts = [Buffer.from(place), mask, masked(sign(key, visitorId, place), mask)];
  return parts.map((part) => part.toString('base64url')).join('.');
}

/** The place in the token of a page. Undefined if the token was not written for this visitor. */
export function readPageToken(key: Buffer, visitorId: string, token: string | undefined): Place | undefined {
  const [encoded = '', ...sent] = (token ?? '').split('.');
  const place = Buffer.from(encoded, 'base64url').toString();
  const [mask = Buffer.alloc(0), signature = Buffer.alloc(0)] = sent.map((part) => Buffer.from(part, 'base64url'));
  if (mask.length !== signatureBytes || signature.length !== signatureBytes) return undefined;
  if (!timingSafeEqual(masked(signature, mask), sign(key, visitorId, place))) return undefined;
  const [kind, host] = place.split(' ');
  return { host: host || undefined, isEmbedded: kind === 'frame' };
}

const signatureBytes = 32;

function sign(key: Buffer, visitorId: string, place: string): Buffer {
  return createHmac('sha256', key).update(`page\n${visitorId}\n${place}`).digest();
}

/** XOR with a mask. A second call with the same mask restores the bytes. */
const masked = (bytes: Buffer, mask: Buffer) => Buffer.from(bytes.map((byte, at) => byte ^ (mask[at] ?? 0)));

/** The name of a visitor for counters. The cookie cannot be computed from it. */
export function visitorName(key: Buffer, visitorId: string): string {
  return createHmac('sha256', key).update(`visitor\n${visitorId}`).digest('base64url');
}

/** The name of an account in pages. Somebody who acts as the account is another person. */
export function personName(key: Buffer, { accountUuid, actorUuid = '' }: Caller): string {
  const name = createHmac('sha256', key).update(`person\n${accountUuid}\n${actorUuid}`).digest();
  return name.subarray(0, 12).toString('base64url');
}

/** Whether the browser reports that the request comes from a page of ours. */
export function isFromOwnPage(headers: IncomingHttpHeaders, ownOrigin: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return false;
  return origin === ownOrigin || (headers.host !== undefined && URL.parse(origin)?.host === headers.host);
}

/** The place of a page that is opened by its address. A page on our own host, on another port, may also frame it. */
export function placeOf(headers: IncomingHttpHeaders, ownHost: string): Place {
  if (!isFramed(headers)) return { host: ownHost, isEmbedded: false };
  const { referer } = headers;
  return { host: typeof referer === 'string' ? hostOfUrl(referer) : undefined, isEmbedded: true };
}

export function isFramed(headers: IncomingHttpHeaders): boolean {
  const place = headers['sec-fetch-dest'];
  return place === 'iframe' || place === 'frame' || place === 'embed' || place === 'object';
}
