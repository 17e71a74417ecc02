import { type Transaction } from '../../adapters/postgres/connection';
import { execute } from '../../adapters/postgres/statement';
import { type AccountRole, type Scope, scopes as allScopes } from '../../kit/auth';
import { scopesOfRole } from '../../kit/staffRoles';

/** The parts of an account's rights, as the database has them. */
export interface Rights {
  role: AccountRole | null;
  /** The scopes that a master gives to a follower. Null: the merchant has no master. */
  relation: readonly string[] | null;
  /** The scopes of the session. Null: all scopes of the account. */
  session: readonly string[] | null;
  /** The name of the role of a member of the staff, or the scopes of a role that the merchant has defined. */
  staffRole: string | null;
  staffScopes: readonly string[] | null;
}

/** A master has all scopes. A relation, a role of the staff and a session can only narrow them. */
export function scopesFrom({ role, relation, session, staffRole, staffScopes }: Rights): Scope[] {
  if (role !== 'merchant' && role !== 'staff') return [];
  const ofRole: readonly string[] | null = role === 'staff' ? (staffScopes ?? scopesOfRole(staffRole ?? '')) : null;
  const limits = [relation, ofRole, session];
  return allScopes.filter((scope) => limits.every((limit) => limit?.includes(scope) !== false));
}

/** Read only for a member of the staff, so that the session of a customer costs nothing more. */
export const staffRoleOf = (account: string) => `CASE WHEN ${account}.role = 'staff' THEN
  (SELECT sm.role FROM staff_members sm WHERE sm.account_id = ${account}.id) END`;
export const staffScopesOf = (account: string) => `CASE WHEN ${account}.role = 'staff' THEN
  (SELECT sr.scopes FROM staff_members sm JOIN staff_roles sr ON sr.merchant_id = sm.merchant_id AND sr.id = sm.role_id
   WHERE sm.account_id = ${account}.id) END`;

/** After the removal of a relation, its follower has no scope. */
export const relationScopes = `CASE WHEN r.removed_at IS NULL THEN r.scopes ELSE '{}' END`;

/** The current scopes of the account, narrowed to those of a session. Null: a session with all scopes. */
export async function readScopes(
  inTransaction: Transaction,
  account: { id: number; role: AccountRole },
  session: readonly string[] | null,
): Promise<Scope[]> {
  if (account.role === 'consumer') return [];
  const [found] = await execute<Pick<Rights, 'relation' | 'staffRole' | 'staffScopes'>>(
    inTransaction,
    `SELECT ${relationScopes} AS relation, ${staffRoleOf('a')} AS "staffRole", ${staffScopesOf('a')} AS "staffScopes"
     FROM accounts a LEFT JOIN follower_relations r ON r.follower_id = a.merchant_id WHERE a.id = $1`,
    [account.id],
  );
  return found ? scopesFrom({ ...found, role: account.role, session }) : [];
}
