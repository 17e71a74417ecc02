import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { audit } from '../../audit/audit';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { normalizeEmail } from '../../kit/form';
import { hashOf, newSecret } from '../../kit/secrets';
import { queueMail } from '../../mail/mail';
import { type Account } from '../accounts.model';
import { publishCustomer } from '../accounts';
import { confirmPossession, isSignedIn, knowsPassword } from '../signIn/possession';
import { hasSignedInHere } from '../tokens/devices';
import { forgetWithCommit } from '../tokens/callers';
import { endSessions } from '../tokens/tokens';
import { isSessionOpen } from '../tokens/openSessions';
import {
  changeAddress,
  confirmChange,
  deleteMailedTokens,
  type EmailChangeRow,
  findConfirmableChange,
  undoDays,
} from './emailChanges.model';
import { findHolder, findLinkHome, refusalUrl, takeChange } from './links';

/**
 * Changes the address. The link proves the new mailbox, but not that its reader owns the account: otherwise somebody could
 * give an account to another person who only follows a link. So the request comes from where the account has signed in, or has
 * the account's password.
 */
export async function confirmEmailChange(token: string, request: RequestFacts, password?: string) {
  await checkOwner(token, request, password);
  return transaction(async (inTransaction) => {
    const { change, account } = await takeChange(inTransaction, token, findConfirmableChange);
    const { id: accountId, merchantId } = account;
    // An account that was activated after the request has proved its address by now.
    const undo = account.activatedAt === null ? undefined : newSecret();
    await confirmChange(inTransaction, change.id, undo === undefined ? null : hashOf(undo));
    const { email } = change;
    if (!(await changeAddress(inTransaction, accountId, { email, emailNormalized: normalizeEmail(email) })))
      throw new AppError('email_taken', { errors: { email: 'The address cannot be used for this account.' } });
    await deleteMailedTokens(inTransaction, accountId);
    await account.reload({ transaction: inTransaction });
    // The owner has proved this mailbox, but never the former one.
    if (account.activatedAt === null) await confirmPossession(inTransaction, account);
    forgetWithCommit(inTransaction, accountId);
    if (undo !== undefined) await mailFormer(inTransaction, change, undo);
    const entry = { action: 'email.change', object: ['account', accountId], requestId: request.requestId } as const;
    await audit(inTransaction, { merchantId, accountId, clientAddress: request.clientAddress }, entry);
    await endSessions(inTransaction, { accountId, exceptSessionId: change.session_id });
    if (account.role === 'consumer') await publishCustomer(inTransaction, account, 'customer.updated');
    return { email };
  });
}

/**
 * Whether the password is needed to show that the reader of the mail owns the account. An earlier sign-in in the browser is
 * enough while the session of the request is open: an owner who has ended it may not want the change.
 */
export async function needsOwnerProof(token: string, request: RequestFacts): Promise<boolean> {
  const found = await findOwner(token);
  if (!found || (await isSignedIn(found.account, request))) return false;
  return !(await transaction(
    async (inTransaction) =>
      (await isSessionOpen(inTransaction, found.change.session_id)) &&
      hasSignedInHere(inTransaction, found.account.id, request),
  ));
}

/** The new address of a link, whether it is valid, and the merchant of the account. Undefined for a used or unknown link. */
export const findConfirmationHome = (token: string) => findLinkHome(token, findConfirmableChange);

async function checkOwner(token: string, request: RequestFacts, password: string | undefined): Promise<void> {
  const found = await findOwner(token);
  if (!found) throw new AppError('email_token_invalid');
  if (password === undefined && !(await needsOwnerProof(token, request))) return;
  if (password !== undefined && (await knowsPassword(found.account, password, request))) return;
  throw new AppError('wrong_password', { errors: { password: 'Invalid credentials' } });
}

async function findOwner(token: string): Promise<{ change: EmailChangeRow; account: Account } | undefined> {
  const change = await findConfirmableChange(hashOf(token));
  const account = change && (await findHolder(change));
  return account && { change, account };
}

async function mailFormer(inTransaction: Transaction, change: EmailChangeRow, undo: string): Promise<void> {
  const { merchant_id: merchantId, account_id: accountId, former_email: to, email: address } = change;
  const values = { address, url: refusalUrl(undo), days: undoDays };
  await queueMail(inTransaction, { merchantId, accountId, to, template: 'email_changed', values });
}
