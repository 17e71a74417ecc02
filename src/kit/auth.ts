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
}

export type Auth =
  | { kind: 'anyone' }
  | { kind: 'signedIn' }
  | { kind: 'consumer' }
  | { kind: 'merchant'; scope: Scope }
  /** The token is read by the handler itself, which answers 200 for a dead one too (logout, wire D.9). */
  | { kind: 'forgiving' };

export const anyone = () => ({ kind: 'anyone' }) as const;
export const signedIn = () => ({ kind: 'signedIn' }) as const;
export const consumer = () => ({ kind: 'consumer' }) as const;
export const merchant = (scope: Scope) => ({ kind: 'merchant', scope }) as const;
export const forgiving = () => ({ kind: 'forgiving' }) as const;

export function mayCall(auth: Auth, caller: Caller): boolean {
  if (auth.kind === 'consumer') return caller.role === 'consumer' || caller.accountId === caller.merchantId;
  if (auth.kind === 'merchant') return caller.role === 'merchant' && caller.scopes.includes(auth.scope);
  return true;
}

/** The token of `Authorization: Bearer <token>`. Some clients send the bare token (wire A.0). */
export function bearerToken(header: string | undefined): string | undefined {
  const token = header?.replace(/^bearer\s+/i, '').trim();
  return token === '' ? undefined : token;
}
