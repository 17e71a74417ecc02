import { randomBytes } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { type Express, type NextFunction, type Request, type Response } from 'express';
import { admit } from '../admission';
import { anyone } from '../auth';
import { AppError } from '../errors';
import { factsOf } from '../facts';
import { asAppError, reportRefusal } from '../failures';
import { expressPath, pathPattern } from '../routes';
import { confirmed } from './confirmation';
import { traceRequest } from '../tracing';
import { isSecure, type Context, type HasPage, type PageParts } from './context';
import { type Page, type Pages, Redirect, PageResponse, type Visit } from './page';
import { failed, send } from './send';
import { PageRequest, tokenField } from './request';
import {
  type Area,
  isFramed,
  placeOf,
  readBrowser,
  readCookie,
  readPageToken,
  readVisitor,
  sessionCookie,
} from './session';
import { ownHostOf, visitOf } from './visit';

/** Mounts all pages. Throws at the start if two pages have the same name or address. */
export function mountPages(app: Express, folders: readonly Pages[], parts: PageParts): void {
  const pages = folders.flatMap((folder) => Object.entries(folder));
  const seen = new Set<string>();
  const shown = pages.filter(([, { method }]) => method === 'get').map(([, { path }]) => pathPattern(path));
  const hasPage: HasPage = (path) => shown.some((pattern) => pattern.test(path));
  for (const [name, page] of pages) {
    for (const key of [name, `${page.method} ${page.path.replaceAll(/\{\w+\}/g, '{}')}`]) {
      if (seen.has(key)) throw new Error(`Two pages are ${key}`);
      seen.add(key);
    }
    app[page.method](expressPath(page.path), (request: Request, response: Response) =>
      traceRequest(request, response, page.path, () => servePage({ parts, hasPage, name, page, request, response })),
    );
  }
}

/**
 * Shows browsers our own page for an unknown address in an area of pages. Programs get the usual 404, so this is
 * mounted right before it.
 */
export function mountUnknownPages(app: Express, folders: readonly Pages[], parts: PageParts): void {
  const areas = new Map(
    folders.flatMap((folder) => Object.values(folder).map(({ path, area }) => [`/${path.split('/')[1] ?? ''}`, area])),
  );
  for (const [path, area] of areas) {
    const unknownPage: Page = {
      method: 'get',
      path,
      area,
      auth: anyone(),
      summary: 'An unknown address',
      handler: () => Promise.reject(new AppError('not_found')),
    };
    app.use(path, (request: Request, response: Response, next: NextFunction) => {
      if (request.method !== 'GET' || request.accepts(['json', 'html']) !== 'html') return next();
      void servePage({ parts, hasPage: () => false, name: 'lost', page: unknownPage, request, response });
    });
  }
}

/** The token in the cookie of a page, for a socket that the page opens. */
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

type PageCall = Pick<Context, 'parts' | 'hasPage' | 'name' | 'page' | 'request' | 'response'>;

async function servePage(call: PageCall): Promise<void> {
  const { parts, name, page, request } = call;
  const startedAt = performance.now();
  const facts = factsOf(request);
  const options = { isSecure: isSecure(parts), isEmbedded: isFramed(request.headers) };
  const visitor = readVisitor(facts.cookies, options);
  const browser = readBrowser(facts.cookies, options.isSecure);
  const area = areaOf(page, request.params as Record<string, string>);
  const nonce = randomBytes(16).toString('base64');
  const context: Context = { ...call, facts, area, visitor, browser, nonce };
  const visit = visitOf(context, undefined, placeOf(request.headers, ownHostOf(parts)));
  try {
    send(context, visit, await answer(context, visit));
  } catch (error) {
    const known = asAppError(parts, error, name, facts.requestId);
    send(context, visit, failed(context, visit, known));
  }
  record(context, startedAt);
}

/** Logs the declared address, because the sent address may contain a token. */
function record({ parts, name, page, response, facts }: Context, startedAt: number): void {
  const seconds = (performance.now() - startedAt) / 1000;
  const { statusCode: status } = response;
  parts.observe(page.path, page.method, status, seconds);
  const ms = Math.round(seconds * 10_000) / 10;
  const { requestId } = facts;
  parts.logger.info({ requestId, operation: name, status, ms }, `${page.method.toUpperCase()} ${page.path}`);
}

function areaOf(page: Page, params: Record<string, string>): Area {
  return page.area !== 'customer'
    ? { kind: page.area }
    : { kind: 'customer', merchantUuid: params['merchant_uuid'] ?? '' };
}

/** The pages on which people set up the second factor that their merchant, or an operator's account, needs. */
const securityAt = { console: '/console/security', operator: '/operator/security', customer: undefined } as const;

async function answer(context: Context, first: Visit): Promise<PageResponse | Redirect> {
  const security = securityAt[context.area.kind];
  return answerOrRefuse(context, first).catch((error: unknown) => {
    if (security === undefined || !(error instanceof AppError) || error.code !== 'second_factor_missing') throw error;
    return new Redirect(security);
  });
}

async function answerOrRefuse(context: Context, first: Visit): Promise<PageResponse | Redirect> {
  const { parts, page } = context;
  const { form, ...rules } = page;
  const { area } = context;
  if (area.kind === 'customer') await parts.refuseClosed(area.merchantUuid);
  const sent = new PageRequest(context, first);
  const admitted = await admit({ ...rules, ...(form && { body: form }) }, sent).catch((error: unknown) => {
    reportRefusal(parts, sent.caller, page, error);
    throw error;
  });
  if (admitted instanceof Redirect) return admitted;
  if (parts.checkAnswers) refuseUnread(context, sent.readFields());
  const { params, query, body } = admitted;
  const visit = await sent.visit();
  const { fields, formId, answer: confirmation } = sent.form;
  const shown = await confirmed(context, { visit, fields, formId, answer: confirmation }, () =>
    page.handler({ ...visit, params, query, form: body } as never),
  );
  if (parts.checkAnswers && page.method === 'get' && shown instanceof PageResponse && shown.options.signIn)
    throw new Error(`${context.name} signs in by a link`);
  if (shown instanceof PageResponse && shown.options.isForeign && !page.isForFrames)
    throw new Error(`${context.name} answers foreign HTML, and is not for frames`);
  // After the handler, so that a visitor without access gets the same refusal as without a frame.
  const isForeign = shown instanceof PageResponse && shown.options.isForeign;
  return isForeign && !isForFrame(context) ? frameIt(context, await sent.visit()) : shown;
}

/** A page of ours that frames the same address. Its token lets browsers without Fetch metadata load the frame. */
function frameIt({ parts }: Context, visit: Visit): PageResponse {
  const [path = '', query = ''] = visit.address.split('?');
  const parameters = new URLSearchParams(query);
  parameters.set(tokenField, visit.pageToken);
  return new PageResponse(parts.frameForeign(visit, `${path}?${parameters.toString()}`));
}

/**
 * Whether the answer goes into a frame. A browser without Fetch metadata (an old one, or over http) must send the token
 * that a page of ours wrote into the address of the frame.
 */
function isForFrame({ parts, request, facts, visitor }: Context): boolean {
  if (request.headers['sec-fetch-dest'] !== undefined) return isFramed(request.headers);
  const token = new URLSearchParams(facts.queryText).get(tokenField);
  if (token === null) return false;
  if (readPageToken(parts.key, visitor.id, token) === undefined) throw new AppError('page_expired');
  return true;
}

/**
 * An error in the page: its form has a field that the page does not read. It is refused only where answers are checked.
 */
function refuseUnread({ name, page }: Context, body: Record<string, unknown>): void {
  if (page.form?.def.catchall !== undefined) return;
  const unread = Object.keys(body).filter((field) => !(field in (page.form?.shape ?? {})));
  if (unread.length > 0) throw new Error(`${name} does not read ${unread.join(', ')}`);
}
