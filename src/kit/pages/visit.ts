import { type Caller } from '../auth';
import { type RequestFacts } from '../endpoint';
import { AppError } from '../errors';
import { hostOfUrl } from '../hosts';
import { callEndpoint, callEndpointOnce, fetchFile } from './call';
import { isSecure, type Context, type PageParts } from './context';
import { languagesFor, languagesOf } from './languages';
import { type Visit } from './page';
import { type Place, personName, readCookie, sessionCookie, visitorName, writePageToken } from './session';
import { zoneOf } from './zones';

/** The session in a cookie. */
export interface Session {
  token: string;
  caller: Caller;
}

/** The visit that a page's handler receives. */
export function visitOf(
  context: Context,
  session: Session | undefined,
  place: Place,
  off: ReadonlySet<string> = new Set(),
  formId?: string,
): Visit {
  const { parts, name, page, request, facts, visitor, browser, nonce } = context;
  const caller = session?.caller;
  // An endpoint that reads the token of the request, such as the sign-out, gets the token of the page's session.
  const ofPage: RequestFacts = { ...facts, host: place.host, bearer: session?.token, browser: browser.name };
  const calling = { caller, request: ofPage, page: name };
  return {
    caller,
    request: ofPage,
    address: request.originalUrl,
    returnTo: addressBehind(context),
    method: page.method,
    isFragment: request.headers['hx-request'] === 'true',
    visitorName: visitorName(parts.key, visitor.id),
    personName: caller && personName(parts.key, caller),
    isEmbedded: place.isEmbedded,
    origin: parts.origin,
    nonce,
    pageToken: writePageToken(parts.key, visitor.id, place),
    languages: languagesOf(facts),
    offered: languagesFor(page.area),
    zone: zoneOf(facts),
    signedIn: async (token) =>
      visitOf(context, { token, caller: await parts.authenticate(token, facts.clientAddress) }, place, off, formId),
    isOff: (feature) => off.has(feature),
    file: (endpoint, sent) => fetchFile(parts, calling, endpoint, sent),
    call: (endpoint, sent) => callEndpoint(parts, calling, endpoint, sent),
    callOnce: (endpoint, sent) =>
      formId === undefined
        ? callEndpoint(parts, calling, endpoint, sent)
        : callEndpointOnce(parts, { ...calling, formId }, endpoint, sent),
  };
}

/**
 * The browser names the page of a form in the `Referer`. The address of the form itself may have no page, and it is the
 * `Referer` if the page is the answer to a refused form.
 */
function addressBehind({ page, request, parts, hasPage }: Context): string | undefined {
  if (page.method === 'get') return request.originalUrl;
  const sender = URL.parse(request.headers.referer ?? '');
  const isOwn = sender !== null && (sender.origin === parts.origin || sender.host === request.headers.host);
  return isOwn && hasPage(sender.pathname) ? sender.pathname + sender.search : undefined;
}

/** The host of the service's public address. */
export const ownHostOf = ({ origin }: PageParts) => hostOfUrl(origin) ?? '';

/** Undefined if the session has ended. A customer's session is valid at its own merchant only. */
export async function findSession({ parts, area, facts }: Context): Promise<Session | undefined> {
  const token = readCookie(facts.cookies, sessionCookie(area), isSecure(parts));
  if (token === undefined) return undefined;
  try {
    const caller = await parts.authenticate(token, facts.clientAddress);
    const isOwn =
      area.kind === 'customer' ? isCustomerOf(caller, area.merchantUuid) : caller.role === roleIn[area.kind];
    return isOwn ? { token, caller } : undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_auth_token') return undefined;
    throw error;
  }
}

const roleIn = { console: 'merchant', operator: 'operator' } as const;

function isCustomerOf(caller: Caller, merchantUuid: string): boolean {
  return caller.role === 'consumer' && caller.merchantUuid === merchantUuid.toLowerCase();
}
