/** What a follower may be allowed to do (decisions 3). A master merchant has them all. */
export const scopes = [
  'accounts:read',
  'accounts:write',
  'apps:write',
  'items:read',
  'items:write',
  'vouchers:read',
  'vouchers:write',
  'restrictions:write',
  'branding:write',
  'payments:read',
  'payments:write',
  'reports:read',
  'settings:write',
  'impersonate',
] as const;

export type Scope = (typeof scopes)[number];
export type Role = 'merchant' | 'consumer';

/** Who calls: the first argument of every service behind a token. `clientAddress` is the IP address of the request. */
export interface Caller {
  accountId: number;
  accountUuid: string;
  merchantId: number;
  merchantUuid: string;
  role: Role;
  scopes: readonly Scope[];
  sessionId: string;
  clientAddress: string;
  /** Who acts as this account: set while somebody impersonates it. */
  actorUuid?: string;
  /** Whose favourites and watch history: a profile of the account, when the token was given for one. */
  profileId?: number;
  /** A merchant account that has a master: its scopes may be narrowed, and it has no followers of its own. */
  isFollower?: true;
  /** Of the account, `YYYY-MM-DD`. */
  dateOfBirth: string | null;
}

export type Auth =
  | { kind: 'anyone' }
  /**
   * `merchantScope`: what a merchant needs where a consumer sees its own. `inPerson`: refused while somebody else acts as
   * the account (password, erasure, export, impersonation).
   */
  | { kind: 'signedIn'; merchantScope?: Scope; inPerson?: true }
  | { kind: 'consumer'; inPerson?: true }
  | { kind: 'merchant'; scope: Scope; inPerson?: true }
  /** A merchant that nobody is the master of (decisions 3: followers and their relations). */
  | { kind: 'master'; inPerson?: true }
  /** The token is read by the handler itself, which answers 200 for a dead one too (logout, wire D.9). */
  | { kind: 'forgiving' };

export const anyone = () => ({ kind: 'anyone' }) as const;
export const signedIn = () => ({ kind: 'signedIn' }) as const;
export const signedInWith = (merchantScope: Scope) => ({ kind: 'signedIn', merchantScope }) as const;
export const consumer = () => ({ kind: 'consumer' }) as const;
export const merchant = (scope: Scope) => ({ kind: 'merchant', scope }) as const;
export const master = () => ({ kind: 'master' }) as const;
export const forgiving = () => ({ kind: 'forgiving' }) as const;
export const inPerson = <const A extends Exclude<Auth, { kind: 'anyone' | 'forgiving' }>>(auth: A) =>
  ({ ...auth, inPerson: true }) as const;

export function mayCall(auth: Auth, caller: Caller): boolean {
  if ('inPerson' in auth && caller.actorUuid !== undefined) return false;
  if (auth.kind === 'master') return caller.role === 'merchant' && caller.isFollower !== true;
  if (auth.kind === 'consumer') return caller.role === 'consumer' || caller.accountId === caller.merchantId;
  if (auth.kind === 'signedIn' && auth.merchantScope !== undefined)
    return caller.role === 'consumer' || caller.scopes.includes(auth.merchantScope);
  if (auth.kind === 'merchant') return caller.role === 'merchant' && caller.scopes.includes(auth.scope);
  return true;
}

/** The token of `Authorization: Bearer <token>`. Some clients send the bare token (wire A.0). */
export function bearerToken(header: string | undefined): string | undefined {
  const token = header?.startsWith('Bearer ey') ? header.slice(7) : header?.replace(/^bearer\s+/i, '').trim();
  return token === '' ? undefined : token;
}
