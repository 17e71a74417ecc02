/** The rights that a follower can have. A master merchant has all of them. */
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

/** The caller: the first argument of every service behind a token. `clientAddress` is the IP address of the request. */
export interface Caller {
  accountId: number;
  accountUuid: string;
  merchantId: number;
  merchantUuid: string;
  role: Role;
  scopes: readonly Scope[];
  sessionId: string;
  clientAddress: string;
  /** The uuid of the account that impersonates this one. */
  actorUuid?: string;
  /** The profile whose favourites and watch history are used, if the token is for a profile. */
  profileId?: number;
  /** A merchant account that has a master: its scopes may be narrowed, and it has no followers of its own. */
  isFollower?: true;
  /** `YYYY-MM-DD`. */
  dateOfBirth: string | null;
}

export type Auth =
  | { kind: 'anyone' }
  /**
   * `merchantScope`: the scope that a merchant needs; a consumer reads its own data. `inPerson`: refused while another
   * person impersonates the account (password, erasure, export, impersonation).
   */
  | { kind: 'signedIn'; merchantScope?: Scope; notImpersonated?: true }
  | { kind: 'consumer'; inPerson?: true }
  | { kind: 'merchant'; scope: Scope; inPerson?: true }
  /** A merchant that has no master. */
  | { kind: 'master'; inPerson?: true }
  /** The handler reads the token itself, and answers 200 for an invalid one too (logout). */
  | { kind: 'forgiving' };

export const anyone = () => ({ kind: 'anyone' }) as const;
export const signedIn = () => ({ kind: 'signedIn' }) as const;
export const signedInWith = (merchantScope: Scope) => ({ kind: 'signedIn', merchantScope }) as const;
export const consumer = () => ({ kind: 'consumer' }) as const;
export const merchant = (scope: Scope) => ({ kind: 'merchant', scope }) as const;
export const master = () => ({ kind: 'master' }) as const;
export const optionalAuth = () => ({ kind: 'forgiving' }) as const;
export const inPerson = <const A extends Exclude<Auth, { kind: 'anyone' | 'forgiving' }>>(auth: A) =>
  ({ ...auth, inPerson: true }) as const;

/** Whether a caller is not needed. */
export const isPublic = ({ kind }: Auth) => kind === 'anyone' || kind === 'forgiving';

export function mayCall(auth: Auth, caller: Caller): boolean {
  if ('inPerson' in auth && caller.actorUuid !== undefined) return false;
  if (auth.kind === 'master') return caller.role === 'merchant' && caller.isFollower !== true;
  if (auth.kind === 'consumer') return caller.role === 'consumer' || caller.accountId === caller.merchantId;
  if (auth.kind === 'signedIn' && auth.merchantScope !== undefined)
    return caller.role === 'consumer' || caller.scopes.includes(auth.merchantScope);
  if (auth.kind === 'merchant') return caller.role === 'merchant' && caller.scopes.includes(auth.scope);
  return true;
}

/** The token of `Authorization: Bearer <token>`. Some clients send the token alone. */
export function bearerToken(header: string | undefined): string | undefined {
  const token = header?.startsWith('Bearer ey') ? header.slice(7) : header?.replace(/^bearer\s+/i, '').trim();
  return token === '' ? undefined : token;
}
