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
  'staff:write',
  'impersonate',
] as const;

export type Scope = (typeof scopes)[number];
export type Role = 'merchant' | 'consumer' | 'operator';
/** The role of an account. A member of a merchant's staff acts as the merchant, so its caller has the role `merchant`. */
export type AccountRole = Role | 'staff';

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
  /** The uuid of the account that acts as this one (impersonation), and the scopes that it has itself. */
  actorUuid?: string;
  actorScopes?: readonly Scope[];
  /** The profile whose favourites and watch history are used, if the token is for a profile. */
  profileId?: number;
  /** A merchant account that has a master. Its scopes may be narrowed, and it cannot have followers. */
  isFollower?: true;
  /** A member of the merchant's staff. Its scopes are those of its role. */
  isStaff?: true;
  /** The merchant requires a second factor, and the person has none. */
  lacksFactor?: true;
  /** `YYYY-MM-DD`. */
  dateOfBirth: string | null;
}

/**
 * Access for somebody who acts as the account. `null`: no access, even if the declared scope is one of
 * `scopesOfActors`.
 */
interface ForActors {
  actorScope?: Scope | null;
}

interface StepUp {
  /** The owner must have confirmed the session in the last ten minutes: by the second factor, or by the password. */
  needsRecentFactor?: true;
}

export type Auth =
  | { kind: 'anyone' }
  /** `merchantScope`: the scope that a merchant needs; a consumer reads its own data. */
  | ({ kind: 'signedIn'; merchantScope?: Scope } & ForActors)
  | ({ kind: 'consumer' } & ForActors)
  | ({ kind: 'merchant'; scope: Scope } & ForActors & StepUp)
  /** The merchant, its followers and its staff, with any scopes: for data that belongs to one person. */
  | { kind: 'anyMerchant' }
  /** A merchant that has no master, with its own account. */
  | ({ kind: 'master' } & ForActors & StepUp)
  /** An operator of the installation who has entered a code of the second factor lately. */
  | { kind: 'operator' }
  /** The handler reads the token itself, and answers 200 for an invalid one too (logout). */
  | { kind: 'forgiving' };

export const anyone = () => ({ kind: 'anyone' }) as const;
export const signedIn = () => ({ kind: 'signedIn' }) as const;
export const signedInWith = (merchantScope: Scope) => ({ kind: 'signedIn', merchantScope }) as const;
export const consumer = () => ({ kind: 'consumer' }) as const;
export const merchant = (scope: Scope) => ({ kind: 'merchant', scope }) as const;
export const anyMerchant = () => ({ kind: 'anyMerchant' }) as const;
export const master = () => ({ kind: 'master' }) as const;
export const operator = () => ({ kind: 'operator' }) as const;
export const optionalAuth = () => ({ kind: 'forgiving' }) as const;

type Guarded = Extract<Auth, { kind: 'signedIn' | 'consumer' | 'merchant' }>;
/** Open to somebody who acts as the account and has the scope (impersonation). */
export const openToActors = <const A extends Guarded>(actorScope: Scope, auth: A) => ({ ...auth, actorScope }) as const;
/** Refused to somebody who acts as the account. */
export const inPerson = <const A extends Guarded>(auth: A) => ({ ...auth, actorScope: null }) as const;

/**
 * Requires a confirmation of the last ten minutes, as `recentFactors.ts` describes. Somebody who acts as the account cannot
 * give it, so actors are refused.
 */
export const withRecentFactor = <const A extends Extract<Auth, { kind: 'merchant' | 'master' }>>(auth: A) =>
  ({ ...auth, actorScope: null, needsRecentFactor: true }) as const;

/** Each call of an operator requires a recent code, even if the operator has not set up a second factor. */
export const needsOperatorFactor = ({ kind }: Auth): boolean => kind === 'operator';

/**
 * Whether the endpoint serves a merchant. Where the merchant requires it, people need a second factor for it. They can
 * set one up with the other endpoints.
 */
export const servesMerchant = (auth: Auth): boolean =>
  ['merchant', 'anyMerchant', 'master'].includes(auth.kind) ||
  (auth.kind === 'signedIn' && auth.merchantScope !== undefined);

export const needsRecentFactor = (auth: Auth): boolean =>
  'needsRecentFactor' in auth && auth.needsRecentFactor === true;

/**
 * The scopes whose endpoints an actor may call: reads, and the care of a catalogue. Every other endpoint is refused while
 * somebody acts as the account, unless its declaration says `openToActors`.
 */
const scopesOfActors: ReadonlySet<Scope> = new Set([
  'accounts:read',
  'items:read',
  'items:write',
  'vouchers:read',
  'restrictions:write',
  'branding:write',
  'payments:read',
  'reports:read',
]);

/** The scope that an actor needs. Undefined: no actor may call the endpoint. */
export function actorScopeOf(auth: Auth): Scope | undefined {
  if ('actorScope' in auth && auth.actorScope !== undefined) return auth.actorScope ?? undefined;
  const scope = 'scope' in auth ? auth.scope : 'merchantScope' in auth ? auth.merchantScope : undefined;
  return scope !== undefined && scopesOfActors.has(scope) ? scope : undefined;
}

/** An actor never has more rights than its own, and none after it has lost the right to act. */
function mayAct(auth: Auth, actorScopes: readonly Scope[]): boolean {
  const needed = actorScopeOf(auth);
  return needed !== undefined && actorScopes.includes(needed) && actorScopes.includes('impersonate');
}

/** Whether the endpoint works without a caller. */
export const isPublic = ({ kind }: Auth) => kind === 'anyone' || kind === 'forgiving';

export function mayCall(auth: Auth, caller: Caller): boolean {
  if (caller.actorUuid !== undefined && !mayAct(auth, caller.actorScopes ?? [])) return false;
  if (auth.kind === 'operator') return caller.role === 'operator';
  // An operator is neither a merchant nor a customer. Besides the operator's calls, it may manage its own account.
  if (caller.role === 'operator') return auth.kind === 'signedIn' && auth.merchantScope === undefined;
  if (auth.kind === 'master')
    return caller.role === 'merchant' && caller.isFollower !== true && caller.isStaff !== true;
  if (auth.kind === 'consumer') return caller.role === 'consumer' || caller.accountId === caller.merchantId;
  if (auth.kind === 'signedIn' && auth.merchantScope !== undefined)
    return caller.role === 'consumer' || caller.scopes.includes(auth.merchantScope);
  if (auth.kind === 'anyMerchant') return caller.role === 'merchant';
  if (auth.kind === 'merchant') return caller.role === 'merchant' && caller.scopes.includes(auth.scope);
  return true;
}

/** The token of `Authorization: Bearer <token>`. Some clients send the token alone. */
export function bearerToken(header: string | undefined): string | undefined {
  const token = header?.startsWith('Bearer ey') ? header.slice(7) : header?.replace(/^bearer\s+/i, '').trim();
  return token === '' ? undefined : token;
}
