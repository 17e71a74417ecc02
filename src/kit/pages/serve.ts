import { randomBytes } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { type Express, type Request, type Response } from 'express';
import { type Caller, mayCall } from '../auth';
import { parseQuery, readBody } from '../body';
import { type RequestFacts } from '../endpoint';
import { AppError } from '../errors';
import { hostOfUrl, networkOf } from '../hosts';
import { Html } from '../html';
import { asAppError, factsOf, type KitParts } from '../http';
import { expressPath } from '../routes';
import { refuseCardNumbers, validate } from '../validate';
import { callEndpoint } from './call';
import { type Page, type Pages, Redirect, Shown, type ShownOptions, type Visit } from './page';
import { foreignPolicy, ownPolicy } from './policy';
import {
  type Area,
  isFramed,
  isFromOwnPage,
  readCookie,
  readPageToken,
  readVisitor,
  sessionCookie,
  showingHost,
  type Visitor,
  writeCookie,
  writePageToken,
} from './session';

export interface PageParts extends KitParts {
  /** `https://pay.example.org`: where the service is reached. */
  origin: string;
  /** Signs page tokens; the same in every replica. */
  key: Buffer;
  /** Pictures may come by plain http: the test environment. */
  allowsPlainPictures: boolean;
  /** What went wrong, as a page or as the part of one that was asked for. */
  showError(visit: Visit, error: AppError): Html;
}

interface Context {
  parts: PageParts;
  name: string;
  page: Page;
  request: Request;
  response: Response;
  facts: RequestFacts;
  area: Area;
  visitor: Visitor;
  nonce: string;
}

/** Whose session a cookie carries. */
interface Session {
  token: string;
  caller: Caller;
}

const tokenField = '_token';

/** Mounts every page, and refuses at start two of one name or address. */
export function mountPages(app: Express, folders: readonly Pages[], parts: PageParts): void {
  const pages = folders.flatMap((folder) => Object.entries(folder));
  const seen = new Set<string>();
  for (const [name, page] of pages) {
    for (const key of [name, `${page.method} ${page.path.replaceAll(/\{\w+\}/g, '{}')}`]) {
      if (seen.has(key)) throw new Error(`Two pages are ${key}`);
      seen.add(key);
    }
    app[page.method](expressPath(page.path), (request: Request, response: Response) =>
      servePage(parts, [name, page], request, response),
    );
  }
}

/** The token that the cookie of a page carries, for a socket that a page of ours opens. */
export function tokenOfPage(
  parts: Pick<PageParts, 'origin'>,
  request: IncomingMessage,
  merchantUuid: string,
): string | undefined {
  const { origin, host, cookie } = request.headers;
  const isOwn = origin === parts.origin || (origin !== undefined && URL.parse(origin)?.host === host);
  if (!isOwn) return undefined;
  const ofCustomer = readCookie(cookie, sessionCookie({ kind: 'customer', merchantUuid }), isSecure(parts));
  return ofCustomer ?? readCookie(cookie, sessionCookie({ kind: 'console' }), isSecure(parts));
}

async function servePage(
  parts: PageParts,
  [name, page]: [string, Page],
  request: Request,
  response: Response,
): Promise<void> {
  const startedAt = performance.now();
  const facts = factsOf(request);
  const options = { isSecure: isSecure(parts), isEmbedded: isFramed(request.headers) };
  const visitor = readVisitor(facts.cookies, options);
  const area = areaOf(page, request.params as Record<string, string>);
  const nonce = randomBytes(16).toString('base64');
  const context: Context = { parts, name, page, request, response, facts, area, visitor, nonce };
  const visit = visitOf(context, undefined, showingHost(request.headers, ownHostOf(parts)));
  try {
    send(context, visit, await answer(context, visit));
  } catch (error) {
    const known = asAppError(parts, error, name, facts.requestId);
    send(context, visit, failed(context, visit, known));
  }
  record(context, startedAt);
}

/** Never the address as it was sent: it may carry a token. */
function record({ parts, name, page, response, facts }: Context, startedAt: number): void {
  const seconds = (performance.now() - startedAt) / 1000;
  const { statusCode: status } = response;
  parts.observe(page.path, page.method, status, seconds);
  const ms = Math.round(seconds * 10_000) / 10;
  const { requestId } = facts;
  parts.logger.info({ requestId, operation: name, status, ms }, `${page.method.toUpperCase()} ${page.path}`);
}

const isSecure = ({ origin }: Pick<PageParts, 'origin'>) => origin.startsWith('https:');
const ownHostOf = ({ origin }: PageParts) => hostOfUrl(origin) ?? '';

function areaOf(page: Page, params: Record<string, string>): Area {
  return page.area === 'console'
    ? { kind: 'console' }
    : { kind: 'customer', merchantUuid: params['merchant_uuid'] ?? '' };
}

function visitOf(context: Context, session: Session | undefined, host: string | undefined): Visit {
  const { parts, page, request, facts, visitor, nonce } = context;
  const caller = session?.caller;
  // What reads a token of the request, such as a sign-out, finds the page's.
  const ofPage: RequestFacts = { ...facts, host, bearer: session?.token };
  return {
    caller,
    request: ofPage,
    address: request.originalUrl,
    method: page.method,
    isFragment: request.headers['hx-request'] === 'true',
    isEmbedded: host !== ownHostOf(parts),
    origin: parts.origin,
    nonce,
    pageToken: writePageToken(parts.key, visitor.id, host ?? ''),
    languages: languagesOf(context),
    signedIn: async (token) =>
      visitOf(context, { token, caller: await parts.authenticate(token, facts.clientAddress) }, host),
    call: (endpoint, sent) => callEndpoint(parts, { caller, request: ofPage }, endpoint, sent),
  };
}

/** A choice first, in the address or an earlier one, then the browser's own order. */
function languagesOf({ request, facts, parts }: Context): string[] {
  const accepted = (request.headers['accept-language'] ?? '').split(',').map((entry) => {
    const [tag = '', quality] = entry.trim().split(';q=');
    return { tag, weight: quality === undefined ? 1 : Number(quality) };
  });
  const chosen = [chosenLanguage(facts), readCookie(facts.cookies, languageCookie, isSecure(parts))];
  const inOrder = accepted.sort((one, other) => other.weight - one.weight).map(({ tag }) => tag);
  return [...chosen.filter((tag) => tag !== undefined), ...inOrder];
}

const languageCookie = 'language';
const languageLastsSeconds = 365 * 86_400;

/** The choice that an address makes with `lang`; it holds from then on. */
function chosenLanguage({ queryText }: RequestFacts): string | undefined {
  const tag = new URLSearchParams(queryText).get('lang') ?? '';
  return /^[a-z]{2,3}$/.test(tag) ? tag : undefined;
}

async function answer(context: Context, first: Visit): Promise<Shown | Redirect> {
  const { parts, page, request } = context;
  const { body, host } = await readSent(context, first);
  limit(context);
  const session = await findSession(context);
  const caller = session?.caller;
  const visit = visitOf(context, session, host);
  const { auth } = page;
  const isOpen = auth.kind === 'anyone' || auth.kind === 'forgiving';
  const params = request.params as Record<string, string>;
  const parsed = page.params?.safeParse(params);
  if (parsed?.success === false || Object.values(params).some((value) => value.includes('\0')))
    throw new AppError('not_found');
  if (!isOpen && !caller) return toSignIn(context, { ...visit, params: parsed?.data });
  if (!isOpen && caller && !mayCall(auth, caller)) throw new AppError('forbidden');
  refuseCardNumbers(body, page.cardNumberFields ?? []);
  const input = {
    ...visit,
    params: parsed?.data,
    query: page.query && validate(page.query, parseQuery(request.originalUrl)),
    form: page.form && validate(page.form, body),
  };
  const shown = await page.handler(input as never);
  if (parts.checkAnswers && page.method === 'get' && shown instanceof Shown && shown.options.signIn)
    throw new Error(`${context.name} signs in by a link`);
  return shown;
}

/** What changes something must come from a page of ours; what only shows may come from anywhere. */
async function readSent(
  context: Context,
  first: Visit,
): Promise<{ body: Record<string, unknown>; host: string | undefined }> {
  const { parts, page, request, visitor } = context;
  const sentHeader = request.headers['x-page-token'];
  if (page.method === 'get') {
    const told =
      typeof sentHeader === 'string' ? sentHeader : new URLSearchParams(first.request.queryText).get(tokenField);
    const host = readPageToken(parts.key, visitor.id, told ?? undefined);
    return { body: {}, host: host === undefined ? first.request.host : host || undefined };
  }
  const { fields } = await readBody(request);
  const { [tokenField]: sentField, ...body } = fields;
  const token = typeof sentHeader === 'string' ? sentHeader : typeof sentField === 'string' ? sentField : undefined;
  const host = readPageToken(parts.key, visitor.id, token);
  if (host === undefined || !isFromOwnPage(request.headers, parts.origin)) throw new AppError('page_expired');
  return { body, host: host || undefined };
}

function limit({ parts, facts }: Context): void {
  const state = parts.rateLimiter.count(`address:${networkOf(facts.clientAddress)}`, parts.limits.normal);
  if (state.isExceeded) throw new AppError('too_many_requests', { retryAfterSeconds: state.resetSeconds });
}

/** A cookie that is no session any more is nobody's. A customer's counts at its own merchant only. */
async function findSession({ parts, area, facts }: Context): Promise<Session | undefined> {
  const token = readCookie(facts.cookies, sessionCookie(area), isSecure(parts));
  if (token === undefined) return undefined;
  try {
    const caller = await parts.authenticate(token, facts.clientAddress);
    const isOwn = area.kind === 'console' ? caller.role === 'merchant' : isCustomerOf(caller, area.merchantUuid);
    return isOwn ? { token, caller } : undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_auth_token') return undefined;
    throw error;
  }
}

function isCustomerOf(caller: Caller, merchantUuid: string): boolean {
  return caller.role === 'consumer' && caller.merchantUuid === merchantUuid.toLowerCase();
}

function toSignIn({ page }: Context, visit: Visit & { params: unknown }): Redirect {
  if (!page.signInAt) throw new AppError('invalid_auth_token');
  return new Redirect(page.signInAt(visit as never));
}

function failed(context: Context, visit: Visit, error: AppError): Shown {
  const { retryAfterSeconds } = error.details;
  const headers = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
  return new Shown(context.parts.showError(visit, error), { status: error.status as 500, headers });
}

function send(context: Context, visit: Visit, shown: Shown | Redirect): void {
  const { response } = context;
  if (response.headersSent) return void response.destroy();
  const { options } = shown;
  const cookies = cookiesOf(context, visit, options);
  response.removeHeader('X-Frame-Options');
  const common = {
    ...pageHeaders(context, options),
    'X-Request-Id': context.facts.requestId,
    ...options.headers,
    ...(cookies.length > 0 && { 'Set-Cookie': cookies }),
  };
  if (shown instanceof Redirect) {
    // htmx would follow a redirect unseen, and put the page that it leads to into a part of this one.
    if (visit.isFragment) response.writeHead(200, { ...common, 'HX-Redirect': shown.to }).end();
    else response.writeHead(303, { ...common, Location: shown.to }).end();
    return;
  }
  const { content } = shown;
  const bytes = content instanceof Uint8Array ? content : Buffer.from(content instanceof Html ? content.text : content);
  const contentType = shown.options.contentType ?? 'text/html; charset=utf-8';
  const status = shown.options.status ?? 200;
  response.writeHead(status, { ...common, 'Content-Type': contentType, 'Content-Length': bytes.length }).end(bytes);
}

function cookiesOf(context: Context, visit: Visit, { signIn, signOut }: ShownOptions): string[] {
  const { parts, area, visitor, facts } = context;
  const options = { isSecure: isSecure(parts), isEmbedded: visit.isEmbedded };
  const session = sessionCookie(area);
  const language = chosenLanguage(facts);
  const cookies: string[] = visitor.cookie === undefined ? [] : [visitor.cookie];
  if (language !== undefined) {
    const expiresAtSeconds = Math.floor(Date.now() / 1000) + languageLastsSeconds;
    cookies.push(writeCookie(languageCookie, language, { ...options, expiresAtSeconds }));
  }
  if (signIn)
    cookies.push(writeCookie(session, signIn.token, { ...options, expiresAtSeconds: signIn.expiresAtSeconds }));
  else if (signOut) cookies.push(writeCookie(session, undefined, options));
  return cookies;
}

function pageHeaders({ parts, page, nonce }: Context, { isForeign }: ShownOptions) {
  const ancestors = page.isEmbeddable ? '*' : "'none'";
  return {
    'Cache-Control': 'no-store',
    // A form's `Origin` would be `null` without; another site learns nothing by it.
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': isForeign
      ? foreignPolicy(ancestors)
      : ownPolicy(nonce, ancestors, parts.allowsPlainPictures),
    Vary: 'HX-Request, Cookie, Accept-Language',
  };
}
