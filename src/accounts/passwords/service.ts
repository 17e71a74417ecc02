import { type z } from 'zod';
import { hashPassword, isOutdated, verifyPassword } from '../../adapters/passwords';
import { guess } from '../../adapters/postgres/guesses';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { type Caller } from '../../kit/auth';
import { isCommonPassword } from '../../kit/commonPasswords';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { queueMail } from '../../mail/service';
import { Account } from '../model';
import { endSessions } from '../tokens/service';
import { type ChangePasswordBody } from './schemas';

/** A new password, and whose it will be: what is known of the owner makes a bad one. */
export interface NewPassword {
  password: string;
  confirmation: string;
  email: string;
  /** Whose customer the owner is; by name while it does not exist yet. */
  merchant: { id: number } | { name: string };
}

export async function changePassword(caller: Caller, input: z.output<typeof ChangePasswordBody>) {
  const account = await getAccount(caller.accountId);
  await checkNewPassword({
    password: input.password,
    confirmation: input.password_confirmation,
    email: account.email,
    merchant: { id: account.merchantId },
  });
  if (!(await knowsPassword(caller, input.old_password)))
    throw new AppError('wrong_old_password', { errors: { password: 'Old password does not match' } });
  // Only now: whoever guesses old passwords is not worth the cost of a hash.
  const passwordHash = await hashPassword(input.password);
  const { accountId, sessionId: exceptSessionId } = caller;
  await transaction((inTransaction) =>
    replacePassword(inTransaction, { accountId, passwordHash, exceptSessionId, brandingId: input.branding_id }),
  );
  return message('Password successfully changed');
}

/** The caller proves to be in person: 422, since a 401 would make clients drop a good session (decisions 2). */
export async function requirePassword(caller: Caller, password: string): Promise<void> {
  if (!(await knowsPassword(caller, password)))
    throw new AppError('wrong_password', { errors: { password: 'Invalid credentials' } });
}

export async function hashNewPassword(input: NewPassword): Promise<string> {
  await checkNewPassword(input);
  return hashPassword(input.password);
}

/** Refuses a confirmation that differs, and a password that is among the first to be tried. */
async function checkNewPassword(input: NewPassword): Promise<void> {
  if (input.password !== input.confirmation)
    throw refusal('password_confirmation', 'The password_confirmation does not match the password.');
  const names = [input.email, input.email.split('@')[0] ?? '', await nameOf(input.merchant)];
  if (isCommonPassword(input.password) || names.some((name) => isBuiltOn(input.password, name)))
    // Clients look for these very words (wire D.6).
    throw refusal('password', 'The password is too easy to guess: its score does not match standards.');
}

/** Sets a password, ends the sessions that the old one opened, but for the one that changed it, and tells the owner. */
export async function replacePassword(
  inTransaction: Transaction,
  change: { accountId: number; passwordHash: string; exceptSessionId?: string; brandingId?: number | undefined },
): Promise<void> {
  const { passwordHash, brandingId, ...which } = change;
  const account = await getAccount(which.accountId, inTransaction);
  await account.update({ passwordHash, updatedAt: new Date() }, { transaction: inTransaction });
  await endSessions(inTransaction, which);
  const { merchantId, id: accountId, email: to } = account;
  await queueMail(inTransaction, { merchantId, accountId, brandingId, to, template: 'password_changed', values: {} });
}

/** Hashes anew what was hashed with weaker parameters; a password that changes meanwhile stays as it is. */
export async function strengthenHash(account: Account, password: string): Promise<Account> {
  if (!isOutdated(account.passwordHash)) return account;
  const passwordHash = await hashPassword(password);
  await Account.update({ passwordHash }, { where: { id: account.id, passwordHash: account.passwordHash } });
  return account.reload();
}

async function knowsPassword(caller: Caller, password: string): Promise<boolean> {
  const { passwordHash } = await getAccount(caller.accountId);
  const of = { kind: 'password', subject: caller.accountUuid, address: caller.clientAddress } as const;
  const known = await guess(of, async () => (await verifyPassword(passwordHash, password)) || undefined);
  return known === true;
}

async function getAccount(accountId: number, inTransaction?: Transaction): Promise<Account> {
  const account = await Account.findByPk(accountId, inTransaction && { transaction: inTransaction });
  if (!account) throw new AppError('account_not_found');
  return account;
}

async function nameOf(merchant: NewPassword['merchant']): Promise<string> {
  return 'name' in merchant ? merchant.name : (await getAccount(merchant.id)).fullName;
}

/** A name with less than four other characters around it is no secret. */
function isBuiltOn(password: string, name: string): boolean {
  const [text, known] = [password, name].map((part) =>
    part
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]/gu, ''),
  );
  if (text === undefined || known === undefined || known.length < 4) return false;
  return text.includes(known) && text.length - known.length < 4;
}

function refusal(field: string, text: string): AppError {
  return new AppError('invalid_input', { errors: { [field]: text } });
}
