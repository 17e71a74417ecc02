import { type Caller } from '../auth';
import { type RequestFacts } from '../endpoint';
import { AppError } from '../errors';
import { hostOfUrl } from '../hosts';
import { callEndpoint, fetchFile } from './call';
import { isSecure, type Context, type PageParts } from './context';
import { languagesOf } from './languages';
import { type Visit } from './page';
import { readCookie, sessionCookie, visitorName, writePageToken } from './session';

/** Whose session a cookie carries. */
export interface Session {
  token: string;
  caller: Caller;
}

/** Who looks at a page, and what a page may know and do. */
export function visitOf(
  context: Context,
  session: Session | undefined,
  host: string | undefined,
  off: ReadonlySet<string> = new Set(),
): Visit {
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
    visitorName: visitorName(parts.key, visitor.id),
    isEmbedded: host !== ownHostOf(parts),
    origin: parts.origin,
    nonce,
    pageToken: writePageToken(parts.key, visitor.id, host ?? ''),
    languages: languagesOf(facts),
    signedIn: async (token) =>
      visitOf(context, { token, caller: await parts.authenticate(token, facts.clientAddress) }, host, off),
    isOff: (feature) => off.has(feature),
    file: (endpoint, sent) => fetchFile(parts, { caller, request: ofPage }, endpoint, sent),
    call: (endpoint, sent) => callEndpoint(parts, { caller, request: ofPage }, endpoint, sent),
  };
}

/** The host of the address by which the service is reached. */
export const ownHostOf = ({ origin }: PageParts) => hostOfUrl(origin) ?? '';

/** A cookie that is no session any more is nobody's. A customer's counts at its own merchant only. */
export async function findSession({ parts, area, facts }: Context): Promise<Session | undefined> {
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
