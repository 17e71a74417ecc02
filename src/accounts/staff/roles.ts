import { type LOCK } from 'sequelize';
import { type z } from 'zod';
import {
  getOwned,
  isStillReferred,
  transaction,
  type Transaction,
  violatedConstraint,
} from '../../adapters/postgres/connection';
import { execute } from '../../adapters/postgres/statement';
import { audit } from '../../audit/audit';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message, type PageQuery, wholeRange } from '../../kit/page';
import { scopesOfRole } from '../../kit/staffRoles';
import { endSessions } from '../tokens/tokens';
import { endInvitations, type RoleKey, StaffRole } from './staff.model';
import { presentRole } from './staff.presenter';
import { type RoleBody, type RoleChoice } from './staff.schemas';

/** The roles that a merchant defines for its staff. A caller grants and takes only scopes that its own role has. */

type RoleInput = z.output<typeof RoleBody>;

export async function listRoles({ merchantId }: Caller, query: z.output<typeof PageQuery>) {
  const { limit, offset } = wholeRange(query);
  const rows = await StaffRole.findAll({ where: { merchantId }, order: ['id'], limit, offset });
  return rows.map(presentRole);
}

export async function createRole(caller: Caller, { name, scopes }: RoleInput, { requestId }: RequestFacts) {
  requireScopes(caller, scopes);
  return transaction(async (inTransaction) => {
    const row = { merchantId: caller.merchantId, name, scopes };
    const role = await StaffRole.create(row, { transaction: inTransaction, returning: true }).catch(refuseTakenName);
    await audit(inTransaction, caller, { action: 'staff_role.create', object: ['staff_role', role.id], requestId });
    return presentRole(role);
  });
}

/** Changes a role. If the scopes change, the sessions of its members end, and the invitations that they have sent. */
export async function updateRole(
  caller: Caller,
  roleId: number,
  { name, scopes }: RoleInput,
  { requestId }: RequestFacts,
) {
  requireScopes(caller, scopes);
  return transaction(async (inTransaction) => {
    const role = await getRole(inTransaction, caller, roleId, inTransaction.LOCK.UPDATE);
    requireScopes(caller, role.scopes);
    const isSame = role.scopes.length === scopes.length && scopes.every((scope) => role.scopes.includes(scope));
    await role.update({ name, scopes }, { transaction: inTransaction }).catch(refuseTakenName);
    const members = isSame ? [] : await lockMembers(inTransaction, role);
    for (const accountId of members) await endInvitations(inTransaction, accountId);
    await audit(inTransaction, caller, { action: 'staff_role.update', object: ['staff_role', roleId], requestId });
    for (const accountId of members) await endSessions(inTransaction, { accountId });
    return presentRole(role);
  });
}

/** Deletes a role that no member and no invitation has. */
export async function deleteRole(caller: Caller, roleId: number, { requestId }: RequestFacts) {
  await transaction(async (inTransaction) => {
    const role = await getRole(inTransaction, caller, roleId, inTransaction.LOCK.UPDATE);
    requireScopes(caller, role.scopes);
    await role.destroy({ transaction: inTransaction }).catch((error: unknown) => {
      throw isStillReferred(error) ? new AppError('staff_role_in_use') : error;
    });
    await audit(inTransaction, caller, { action: 'staff_role.delete', object: ['staff_role', roleId], requestId });
  });
  return message('Role successfully deleted');
}

/** The role of an input, which the caller may grant. The lock keeps the role's scopes until the commit. */
export async function getGrantable(
  inTransaction: Transaction,
  caller: Caller,
  { role, role_id: roleId }: z.output<typeof RoleChoice>,
): Promise<RoleKey> {
  const choice = roleId === undefined ? { role: role ?? null, roleId: null } : { role: null, roleId };
  await requireRole(inTransaction, caller, choice);
  return choice;
}

/** Requires that the caller has all scopes of a role. */
export async function requireRole(
  inTransaction: Transaction,
  caller: Caller,
  { role, roleId }: RoleKey,
): Promise<void> {
  const own = roleId === null ? undefined : await getRole(inTransaction, caller, roleId, inTransaction.LOCK.SHARE);
  requireScopes(caller, own?.scopes ?? scopesOfRole(role ?? ''));
}

function requireScopes({ scopes }: Caller, granted: readonly string[]): void {
  if (!granted.every((scope) => scopes.some((own) => own === scope))) throw new AppError('scope_not_held');
}

function getRole(inTransaction: Transaction, { merchantId }: Caller, id: number, lock: LOCK) {
  return getOwned(StaffRole, merchantId, id, 'staff_role_not_found', { transaction: inTransaction, lock });
}

/** The accounts with a role. A sign-in that runs at the same time is before or after the change. */
async function lockMembers(inTransaction: Transaction, { merchantId, id }: StaffRole): Promise<number[]> {
  const members = await execute<{ id: number }>(
    inTransaction,
    `SELECT id FROM accounts WHERE id IN
       (SELECT account_id FROM staff_members WHERE merchant_id = $1 AND role_id = $2) ORDER BY id FOR NO KEY UPDATE`,
    [merchantId, id],
  );
  return members.map(({ id: accountId }) => accountId);
}

function refuseTakenName(error: unknown): never {
  throw violatedConstraint(error) === 'staff_roles_name' ? new AppError('staff_role_exists') : error;
}
