import { type Scope, scopes } from './auth';

/** The roles that every merchant can give to its staff. A merchant can define others. */
export const staffRoleNames = ['owner', 'admin', 'finance', 'support', 'editor', 'read_only'] as const;

export type StaffRoleName = (typeof staffRoleNames)[number];

/**
 * The scopes of a merchant's own roles. The secret of an app opens sessions with all scopes, so only an owner manages
 * apps.
 */
export const grantableScopes = scopes.filter((scope) => scope !== 'apps:write');

const scopesOfRoles: Record<StaffRoleName, readonly Scope[]> = {
  owner: scopes,
  admin: grantableScopes,
  finance: ['accounts:read', 'items:read', 'vouchers:read', 'payments:read', 'payments:write', 'reports:read'],
  support: ['accounts:read', 'accounts:write', 'items:read', 'vouchers:read', 'payments:read', 'impersonate'],
  editor: ['items:read', 'items:write', 'vouchers:read', 'vouchers:write', 'restrictions:write', 'branding:write'],
  read_only: ['accounts:read', 'items:read', 'vouchers:read', 'payments:read', 'reports:read'],
};

/** The scopes of a role by its name. An unknown name, from a newer version of the program, has none. */
export function scopesOfRole(name: string): readonly Scope[] {
  return staffRoleNames.flatMap((known) => (known === name ? scopesOfRoles[known] : []));
}
