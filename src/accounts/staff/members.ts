import { type z } from 'zod';
import { sendNow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { execute } from '../../adapters/postgres/statement';
import { audit } from '../../audit/audit';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message, type PageQuery, wholeRange } from '../../kit/page';
import { Account } from '../accounts.model';
import { reportDeparture } from '../departures';
import { endWaitingChange } from '../emailChanges/emailChanges.model';
import { removePasskeys } from '../passkeys/passkeys.model';
import { removeFactors } from '../secondFactors/secondFactors.model';
import { endSessions } from '../tokens/tokens';
import { getGrantable, requireRole } from './roles';
import { endInvitations, listMembers, StaffMember } from './staff.model';
import { presentMember } from './staff.presenter';
import { type RoleChoice } from './staff.schemas';

/** The staff of a merchant. The merchant's own account is in the list and stays the owner. */

export async function listStaff({ merchantId }: Caller, query: z.output<typeof PageQuery>) {
  const rows = await listMembers(merchantId, wholeRange(query));
  return rows.map((row) => presentMember(row, merchantId));
}

/** Reads the list from the member after an id, for an export. */
export async function readMembersAfter({ merchantId }: Caller, limit: number, after = 0) {
  return (await listMembers(merchantId, { limit, after })).map((row) => presentMember(row, merchantId));
}

/** Gives a member another role, and ends the member's sessions and open invitations. */
export async function changeRole(
  caller: Caller,
  accountId: number,
  input: z.output<typeof RoleChoice>,
  { requestId }: RequestFacts,
) {
  await transaction(async (inTransaction) => {
    const { member } = await getMember(inTransaction, caller, accountId);
    const choice = await getGrantable(inTransaction, caller, input);
    await member.update(choice, { transaction: inTransaction });
    await endInvitations(inTransaction, accountId);
    await audit(inTransaction, caller, { action: 'staff.update', object: ['account', accountId], requestId });
    await endSessions(inTransaction, { accountId });
  });
  const [row] = await listMembers(caller.merchantId, { id: accountId, limit: 1 });
  if (!row) throw new AppError('staff_not_found');
  return presentMember(row, caller.merchantId);
}

/**
 * Removes a member, who receives no further reports. The account stays without rights, because the audit log names it.
 */
export async function removeMember(caller: Caller, accountId: number, request: RequestFacts) {
  const { requestId } = request;
  const messages = await transaction(async (inTransaction) => {
    const { account, member } = await getMember(inTransaction, caller, accountId);
    await member.destroy({ transaction: inTransaction });
    await account.update({ isActive: false, updatedAt: new Date() }, { transaction: inTransaction });
    await removeFactors(inTransaction, accountId);
    await removePasskeys(inTransaction, accountId);
    await endWaitingChange(inTransaction, accountId);
    await execute(inTransaction, 'DELETE FROM mailed_tokens WHERE account_id = $1', [accountId]);
    await execute(inTransaction, 'DELETE FROM company_identities WHERE account_id = $1', [accountId]);
    await endInvitations(inTransaction, accountId);
    const left = await reportDeparture(inTransaction, caller, account, request);
    await audit(inTransaction, caller, { action: 'staff.remove', object: ['account', accountId], requestId });
    await endSessions(inTransaction, { accountId });
    return left;
  });
  for (const queued of messages) await sendNow(queued);
  return message('The member has been removed');
}

/**
 * A member whose role the caller may take away. The lock of the account orders this change and a sign-in that runs at
 * the same time.
 */
async function getMember(inTransaction: Transaction, caller: Caller, accountId: number) {
  const { merchantId } = caller;
  if (accountId === merchantId) throw new AppError('owner_required');
  const account = await Account.findOne({
    where: { id: accountId, merchantId, role: 'staff', isActive: true },
    transaction: inTransaction,
    lock: inTransaction.LOCK.NO_KEY_UPDATE,
  });
  const member = account && (await StaffMember.findByPk(accountId, { transaction: inTransaction }));
  if (!member) throw new AppError('staff_not_found');
  await requireRole(inTransaction, caller, member);
  return { account, member };
}
