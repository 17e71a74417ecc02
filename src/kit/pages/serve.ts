import { randomBytes } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { type Express, type NextFunction, type Request, type Response } from 'express';
import { anyone, mayCall } from '../auth';
import { parseQuery, readBody } from '../body';
import { AppError } from '../errors';
import { factsOf } from '../facts';
import { asAppError } from '../failures';
import { merchantOf } from '../features';
import { networkOf } from '../hosts';
import { refuseExceeded } from '../rateLimit';
import { expressPath } from '../routes';
import { refuseCardNumbers, validate } from '../validate';
import { isSecure, type Context, type PageParts } from './context';
import { type Page, type Pages, Redirect, Shown, type Visit } from './page';
import { failed, send } from './send';
import {
  type Area,
  isFramed,
  isFromOwnPage,
  readCookie,
  readPageToken,
  readVisitor,
  sessionCookie,
  showingHost,
} from './session';
import { findSession, ownHostOf, visitOf } from './visit';

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

/**
 * What a browser asks for below an area of pages, and is none: our own page says so. Programs are told as by any address
 * that nothing matches, so this comes last but for that.
 */
export function mountLost(app: Express, folders: readonly Pages[], parts: PageParts): void {
  const areas = new Map(
    folders.flatMap((folder) => Object.values(folder).map(({ path, area }) => [`/${path.split('/')[1] ?? ''}`, area])),
  );
  for (const [path, area] of areas) {
    const lost: Page = {
      ...{ method: 'get', path, area, auth: anyone(), summary: 'A page that there is none of' },
      handler: () => Promise.reject(new AppError('not_found')),
    };
    app.use(path, (request: Request, response: Response, next: NextFunction) => {
      if (request.method !== 'GET' || request.accepts(['json', 'html']) !== 'html') return next();
      void servePage(parts, ['lost', lost], request, response);
    });
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

function areaOf(page: Page, params: Record<string, string>): Area {
  return page.area === 'console'
    ? { kind: 'console' }
    : { kind: 'customer', merchantUuid: params['merchant_uuid'] ?? '' };
}

async function answer(context: Context, first: Visit): Promise<Shown | Redirect> {
  const { parts, page, request } = context;
  // First, so that a flood of forms is refused unread.
  limit(context);
  const { body, host } = await readSent(context, first);
  const session = await findSession(context);
  const caller = session?.caller;
  const params = request.params as Record<string, string>;
  const parsed = page.params?.safeParse(params);
  if (parsed?.success === false || Object.values(params).some((value) => value.includes('\0')))
    throw new AppError('not_found');
  const merchant = merchantOf(caller, params);
  const off = merchant && (await parts.featuresOff(merchant));
  const visit = visitOf(context, session, host, off);
  const { auth } = page;
  const isOpen = auth.kind === 'anyone' || auth.kind === 'forgiving';
  if (!isOpen && !caller) return toSignIn(context, { ...visit, params: parsed?.data });
  if (!isOpen && caller && !mayCall(auth, caller)) throw new AppError('forbidden');
  if (page.feature !== undefined && visit.isOff(page.feature)) throw new AppError('feature_disabled');
  refuseCardNumbers(body, page.cardNumberFields ?? []);
  if (parts.checkAnswers) refuseUnread(context, body);
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

/** A field that a form has and its page does not read would be lost unseen. A visitor's browser may send what it likes. */
function refuseUnread({ name, page }: Context, body: Record<string, unknown>): void {
  if (page.form?.def.catchall !== undefined) return;
  const unread = Object.keys(body).filter((field) => !(field in (page.form?.shape ?? {})));
  if (unread.length > 0) throw new Error(`${name} does not read ${unread.join(', ')}`);
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
  refuseExceeded(parts.rateLimiter.count(`address:${networkOf(facts.clientAddress)}`, parts.limits.normal));
}

function toSignIn({ page }: Context, visit: Visit & { params: unknown }): Redirect {
  if (!page.signInAt) throw new AppError('invalid_auth_token');
  return new Redirect(page.signInAt(visit as never));
}
