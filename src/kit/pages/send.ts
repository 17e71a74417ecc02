import { type AppError } from '../errors';
import { Html } from '../html';
import { sendPieces } from '../stream';
import { isSecure, type Context } from './context';
import { chosenLanguage, languageCookie } from './languages';
import { Redirect, PageResponse, type PageResponseOptions, type Visit } from './page';
import { foreignPolicy, ownPolicy, permissionsPolicy } from './policy';
import { sessionCookie, writeBrowser, writeCookie } from './session';

export function send(context: Context, visit: Visit, shown: PageResponse | Redirect): void {
  const { request, response } = context;
  if (response.headersSent) return void response.destroy();
  const { options } = shown;
  const cookies = cookiesOf(context, visit, options);
  response.removeHeader('X-Frame-Options');
  const common = {
    ...pageHeaders(context, options),
    'X-Request-Id': context.facts.requestId,
    ...options.headers,
    // The unread rest of a refused form would be read as the next request on the connection.
    ...(!request.complete && request.method !== 'GET' && { Connection: 'close' }),
    ...(cookies.length > 0 && { 'Set-Cookie': cookies }),
  };
  if (shown instanceof Redirect) {
    // htmx would follow a redirect and insert the whole target page into a part of this one.
    if (visit.isFragment) response.writeHead(200, { ...common, 'HX-Redirect': shown.to }).end();
    else response.writeHead(303, { ...common, Location: shown.to }).end();
    return;
  }
  const { content } = shown;
  const contentType = shown.options.contentType ?? 'text/html; charset=utf-8';
  const status = shown.options.status ?? 200;
  if (typeof content === 'object' && Symbol.asyncIterator in content) {
    const { parts, facts, name } = context;
    response.writeHead(status, { ...common, 'Content-Type': contentType });
    return sendPieces(response, content, { logger: parts.logger, requestId: facts.requestId, operation: name });
  }
  const bytes = content instanceof Uint8Array ? content : Buffer.from(content instanceof Html ? content.text : content);
  response.writeHead(status, { ...common, 'Content-Type': contentType, 'Content-Length': bytes.length }).end(bytes);
}

export function failed(context: Context, visit: Visit, error: AppError): PageResponse {
  const { retryAfterSeconds } = error.details;
  const headers = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
  return new PageResponse(context.parts.showError(visit, error), { status: error.status as 500, headers });
}

function cookiesOf(context: Context, visit: Visit, { signIn, signOut }: PageResponseOptions): string[] {
  const { parts, area, visitor, browser, facts } = context;
  const options = { isSecure: isSecure(parts), isEmbedded: visit.isEmbedded };
  const session = sessionCookie(area);
  const language = chosenLanguage(facts);
  const cookies: string[] = visitor.cookie === undefined ? [] : [visitor.cookie];
  if (language !== undefined) {
    const expiresAtSeconds = Math.floor(Date.now() / 1000) + languageLastsSeconds;
    cookies.push(writeCookie(languageCookie, language, { ...options, expiresAtSeconds }));
  }
  if (signIn) {
    cookies.push(writeCookie(session, signIn.token, { ...options, expiresAtSeconds: signIn.expiresAtSeconds }));
    cookies.push(writeBrowser(browser, options));
  } else if (signOut) cookies.push(writeCookie(session, undefined, options));
  return cookies;
}

const languageLastsSeconds = 365 * 86_400;

function pageHeaders({ parts, page, nonce }: Context, { isForeign, hosts }: PageResponseOptions) {
  const ancestors = page.isEmbeddable ? '*' : "'none'";
  return {
    'Cache-Control': 'no-store',
    // Without this header the `Origin` of a form would be `null`. Other sites still do not receive the address.
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'Permissions-Policy': permissionsPolicy,
    'Content-Security-Policy': isForeign
      ? foreignPolicy(ancestors)
      : ownPolicy({ nonce, ancestors, allowsPlainPictures: parts.allowsPlainPictures, hosts }),
    // Payment wallets open windows that send messages to the page.
    ...(hosts && { 'Cross-Origin-Opener-Policy': 'same-origin-allow-popups' }),
    Vary: 'HX-Request, Cookie, Accept-Language',
  };
}
