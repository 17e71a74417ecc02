import { type z } from 'zod';
import { countHourly } from '../../adapters/hourlyCounts';
import { getOwned, transaction, type Transaction } from '../../adapters/postgres/connection';
import { execute, statement } from '../../adapters/postgres/statement';
import { baseUrl, mailsPerHour, platformClientId } from '../../adapters/settings';
import { audit } from '../../audit/audit';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { normalizeEmail } from '../../kit/form';
import { message, type PageQuery, wholeRange } from '../../kit/page';
import { requestLanguage } from '../../kit/pages/languages';
import { hashOf, newSecret } from '../../kit/secrets';
import { queueMail } from '../../mail/mail';
import { getAccountRow, insertStaff } from '../accounts';
import { Account } from '../accounts.model';
import { getState } from '../merchants/states.model';
import { signIn } from '../signIn/authentication';
import { requireOpenSession } from '../tokens/openSessions';
import { hashNewPassword } from '../signIn/passwords';
import { getGrantable, requireRole } from './roles';
import { type InvitationGrant, listInvitationRows, StaffInvitation, StaffMember } from './staff.model';
import { presentInvitation } from './staff.presenter';
import { type AcceptBody, type InviteBody } from './staff.schemas';

/** An invitation is a token in a mail. It works once, and its answer creates the account of the new member. */

const lifetimeDays = 7;

export async function listInvitations({ merchantId }: Caller, query: z.output<typeof PageQuery>) {
  return (await listInvitationRows(merchantId, wholeRange(query))).map(presentInvitation);
}

/** Reads the list from the invitation after an id, for an export. */
export async function readInvitationsAfter({ merchantId }: Caller, limit: number, after = 0) {
  return (await listInvitationRows(merchantId, { limit, after })).map(presentInvitation);
}

export async function invite(caller: Caller, input: z.output<typeof InviteBody>, { requestId }: RequestFacts) {
  const { merchantId } = caller;
  const emailNormalized = normalizeEmail(input.email);
  await countHourly(['staff_invitation', merchantId, emailNormalized], mailsPerHour);
  const merchant = await getAccountRow(merchantId);
  const id = await transaction(async (inTransaction) => {
    await requireOpenSession(inTransaction, caller);
    const { role, roleId } = await getGrantable(inTransaction, caller, input);
    await refuseMember(inTransaction, merchantId, emailNormalized);
    const token = newSecret();
    // An expired invitation is replaced. Any other one stays as it is.
    const [row] = await execute<{ id: number }>(
      inTransaction,
      `INSERT INTO staff_invitations AS i
         (merchant_id, email, email_normalized, role, role_id, invited_by, token_hash, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(days => $8))
       ON CONFLICT (merchant_id, email_normalized) DO UPDATE SET email = excluded.email, role = excluded.role,
         role_id = excluded.role_id, invited_by = excluded.invited_by, token_hash = excluded.token_hash,
         expires_at = excluded.expires_at, created_at = now()
       WHERE i.expires_at <= now() RETURNING id`,
      [merchantId, input.email, emailNormalized, role, roleId, caller.accountId, hashOf(token), lifetimeDays],
    );
    if (!row) throw new AppError('staff_invited');
    await mailInvitation(inTransaction, merchant, input.email, token);
    await audit(inTransaction, caller, { action: 'staff.invite', object: ['staff_invitation', row.id], requestId });
    return row.id;
  });
  return getInvitation(merchantId, id);
}

/** Mails a new link. The previous link no longer works. */
export async function resendInvitation(caller: Caller, id: number, { requestId }: RequestFacts) {
  const { merchantId } = caller;
  const { emailNormalized } = await getOwned(StaffInvitation, merchantId, id, 'staff_invitation_not_found');
  await countHourly(['staff_invitation', merchantId, emailNormalized], mailsPerHour);
  const merchant = await getAccountRow(merchantId);
  await transaction(async (inTransaction) => {
    await requireOpenSession(inTransaction, caller);
    const invitation = await getLocked(inTransaction, caller, id);
    await requireRole(inTransaction, caller, invitation);
    const token = newSecret();
    await execute(
      inTransaction,
      'UPDATE staff_invitations SET token_hash = $2, expires_at = now() + make_interval(days => $3) WHERE id = $1',
      [id, hashOf(token), lifetimeDays],
    );
    await mailInvitation(inTransaction, merchant, invitation.email, token);
    await audit(inTransaction, caller, { action: 'staff.resend', object: ['staff_invitation', id], requestId });
  });
  return getInvitation(merchantId, id);
}

export async function withdrawInvitation(caller: Caller, id: number, { requestId }: RequestFacts) {
  await transaction(async (inTransaction) => {
    const invitation = await getLocked(inTransaction, caller, id);
    await requireRole(inTransaction, caller, invitation);
    await invitation.destroy({ transaction: inTransaction });
    await audit(inTransaction, caller, { action: 'staff.withdraw', object: ['staff_invitation', id], requestId });
  });
  return message('The invitation has been withdrawn');
}

const openStatement = statement<{ merchant_id: number; email: string; role: string | null }>(
  'staff_invitation_open',
  'SELECT merchant_id, email, role FROM staff_invitations WHERE token_hash = $1 AND expires_at > now()',
);

/** A valid invitation, for its page. */
interface OpenInvitation {
  email: string;
  isOwner: boolean;
  merchantName: string;
  merchantUuid: string;
}

export async function findInvitation(token: string): Promise<OpenInvitation | undefined> {
  const [row] = await openStatement([hashOf(token)]);
  if (!row) return undefined;
  const { fullName: merchantName, uuid: merchantUuid } = await getAccountRow(row.merchant_id);
  return { email: row.email, isOwner: row.role === 'owner', merchantName, merchantUuid };
}

/** Creates the account of the invited person and signs the person in. */
export async function acceptInvitation(input: z.output<typeof AcceptBody>, request: RequestFacts) {
  const [invited] = await openStatement([hashOf(input.token)]);
  if (!invited) throw new AppError('staff_invitation_invalid');
  const merchant = await getAccountRow(invited.merchant_id);
  if ((await getState(merchant.id)).state === 'suspended') throw new AppError('merchant_suspended');
  const passwordHash = await hashNewPassword({
    password: input.password,
    confirmation: input.password_confirmation,
    email: invited.email,
    merchant,
    isFirst: true,
  });
  const member = { full_name: input.full_name, language: requestLanguage(request) };
  const account = await transaction((inTransaction) =>
    redeem(inTransaction, { token: input.token, merchant, passwordHash, member, request }),
  );
  return signIn(account, platformClientId, { request });
}

interface Acceptance {
  merchant: Account;
  passwordHash: string;
  member: { full_name: string; language: string | undefined };
  request: RequestFacts;
}

/** Of several concurrent requests with the same token, only one succeeds. */
async function redeem(
  inTransaction: Transaction,
  { token, ...acceptance }: Acceptance & { token: string },
): Promise<Account> {
  const [invited] = await execute<InvitationGrant>(
    inTransaction,
    `DELETE FROM staff_invitations WHERE token_hash = $1 AND expires_at > now() RETURNING email, role, role_id`,
    [hashOf(token)],
  );
  if (!invited) throw new AppError('staff_invitation_invalid');
  return admitMember(inTransaction, invited, acceptance);
}

/** Creates the account of an invited person whose address is proved. The invitation was deleted in the transaction. */
export async function admitMember(
  inTransaction: Transaction,
  invited: InvitationGrant,
  { merchant, passwordHash, member, request }: Acceptance,
): Promise<Account> {
  const account = await insertStaff({ ...member, username: invited.email }, passwordHash, merchant, inTransaction);
  const { id: accountId, merchantId } = account;
  const row = { accountId, merchantId, role: invited.role, roleId: invited.role_id };
  await StaffMember.create(row, { transaction: inTransaction });
  const actor = { merchantId, accountId, clientAddress: request.clientAddress };
  const { requestId } = request;
  await audit(inTransaction, actor, { action: 'staff.accept', object: ['account', accountId], requestId });
  return account;
}

function getLocked(inTransaction: Transaction, { merchantId }: Caller, id: number): Promise<StaffInvitation> {
  const locked = { transaction: inTransaction, lock: inTransaction.LOCK.UPDATE };
  return getOwned(StaffInvitation, merchantId, id, 'staff_invitation_not_found', locked);
}

async function getInvitation(merchantId: number, id: number) {
  const [row] = await listInvitationRows(merchantId, { id, limit: 1 });
  if (!row) throw new AppError('staff_invitation_not_found');
  return presentInvitation(row);
}

/** Refuses the address of the merchant or of its staff. Accounts of other merchants are not revealed. */
async function refuseMember(inTransaction: Transaction, merchantId: number, emailNormalized: string): Promise<void> {
  const where = { merchantId, emailNormalized, role: ['merchant', 'staff'], isActive: true };
  const known = await Account.count({ where, transaction: inTransaction });
  if (known > 0) throw new AppError('staff_exists');
}

async function mailInvitation(
  inTransaction: Transaction,
  { id: merchantId, fullName: merchant }: Account,
  to: string,
  token: string,
): Promise<void> {
  const values = { merchant, url: `${baseUrl}/console/join/${token}` };
  await queueMail(inTransaction, { merchantId, languageOf: merchantId, to, template: 'staff_invitation', values });
}
