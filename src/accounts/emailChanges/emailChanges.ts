import { type z } from 'zod';
import { countHourly } from '../../adapters/hourlyCounts';
import { transaction } from '../../adapters/postgres/connection';
import { mailsPerHour } from '../../adapters/settings';
import { audit } from '../../audit/audit';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { normalizeEmail } from '../../kit/form';
import { message } from '../../kit/page';
import { hashOf, newSecret } from '../../kit/secrets';
import { unixSeconds } from '../../kit/time';
import { queueMail } from '../../mail/mail';
import { Account } from '../accounts.model';
import { requireOwner } from '../passkeys/owners';
import { lockHolder } from '../secondFactors/secondFactors.model';
import { isSessionOpen } from '../tokens/openSessions';
import { endWaitingChange, findWaitingChange, insertChange, undoDays } from './emailChanges.model';
import { type EmailChangeBody } from './emailChanges.schemas';
import { confirmationUrl, refusalUrl } from './links';

/**
 * An address changes in two steps: the owner requests it, and opens the link in the mail to the new address. The former
 * address is informed of both steps.
 */

const minutesToConfirm = 60;

/**
 * Mails a link to the new address. Whether another account has the address is checked when the link is used, so the response
 * and its time reveal nothing about it.
 */
export async function requestEmailChange(
  caller: Caller,
  { email, password, branding_id: brandingId }: z.output<typeof EmailChangeBody>,
  requestId: string,
) {
  await requireOwner(caller, password);
  const { merchantId, accountId, sessionId } = caller;
  const emailNormalized = normalizeEmail(email);
  await countHourly(['email_change', accountId], mailsPerHour);
  await countHourly(['email_change', merchantId, emailNormalized], mailsPerHour);
  const confirm = newSecret();
  const stop = newSecret();
  await transaction(async (inTransaction) => {
    await lockHolder(inTransaction, { id: accountId, merchantId });
    // The owner may have ended the session while the request waited for the lock.
    if (!(await isSessionOpen(inTransaction, sessionId))) throw new AppError('invalid_auth_token');
    const account = await Account.findByPk(accountId, { rejectOnEmpty: true, transaction: inTransaction });
    if (account.email === email)
      throw new AppError('invalid_input', { errors: { email: 'The email is the present one.' } });
    // A stranger may own the mailbox of an address that was never proved. It gets no mail, and no right to stop a change.
    const isProved = account.activatedAt !== null;
    await insertChange(inTransaction, account, {
      ...{ email, former: account, sessionId, lifetimeMinutes: minutesToConfirm },
      ...{ confirmHash: hashOf(confirm), stopHash: isProved ? hashOf(stop) : null },
    });
    const mail = { merchantId, accountId, brandingId };
    const values = { token: confirm, url: confirmationUrl(confirm) };
    await queueMail(inTransaction, { ...mail, to: email, template: 'email_change', values });
    const noticed = { address: email, url: refusalUrl(stop), days: undoDays };
    if (isProved)
      await queueMail(inTransaction, { ...mail, to: account.email, template: 'email_change_asked', values: noticed });
    await audit(inTransaction, caller, { action: 'email.request', object: ['account', accountId], requestId });
  });
  return message('Please open the link in the e-mail that we have sent to the new address');
}

/** The address of the account, and the change that waits. */
export async function getEmailChange({ accountId: id, merchantId }: Caller) {
  const account = await Account.findOne({ where: { id, merchantId }, rejectOnEmpty: true });
  const waiting = await findWaitingChange({ id, merchantId });
  return {
    email: account.email,
    pending: waiting ? { email: waiting.email, expires_at: unixSeconds(waiting.expires_at) } : null,
  };
}

export async function cancelEmailChange(caller: Caller, requestId: string) {
  const { accountId, merchantId } = caller;
  await transaction(async (inTransaction) => {
    await lockHolder(inTransaction, { id: accountId, merchantId });
    if (!(await endWaitingChange(inTransaction, accountId))) throw new AppError('email_change_not_found');
    await audit(inTransaction, caller, { action: 'email.cancel', object: ['account', accountId], requestId });
  });
  return message('The address stays as it is');
}
