import { randomUUID } from 'node:crypto';
import { type z } from 'zod';
import { hashPassword, isOutdated, isUsable, verifyPassword } from '../../adapters/passwords';
import { isGuessable } from '../../adapters/passwordStrength';
import { throttleAttempts } from '../../adapters/postgres/throttling';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { type Actor, audit } from '../../audit/audit';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { unixSeconds } from '../../kit/time';
import { queueMail } from '../../mail/mail';
import { publish } from '../../notifications/publish';
import { Account } from '../accounts.model';
import { endWaitingChange } from '../emailChanges/emailChanges.model';
import { forgottenPasswordUrl } from '../securityLinks';
import { endSessions } from '../tokens/tokens';
import { type ChangePasswordBody } from './passwords.schemas';

/** A new password and data of its owner. A password that contains such data is weak. */
export interface NewPassword {
  password: string;
  confirmation: string;
  email: string;
  /** The merchant of the owner, or its name if it does not exist yet. */
  merchant: { id: number } | { name: string };
  /** Whether it is the password of a new account. */
  isFirst?: boolean;
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
  // Hashed only after the old password was verified, so that guesses cost little.
  const passwordHash = await hashPassword(input.password);
  const { sessionId: exceptSessionId } = caller;
  const change = { action: 'password.change', passwordHash, exceptSessionId, brandingId: input.branding_id } as const;
  await transaction((inTransaction) => replacePassword(inTransaction, caller, change));
  return message('Password successfully changed');
}

/** Whether the account has a password. Without one, its owner signs in at another service or by mailed links. */
export async function hasPassword({ accountId: id, merchantId }: Caller): Promise<boolean> {
  const account = await Account.findOne({ where: { id, merchantId } });
  return account !== null && isUsable(account.passwordHash);
}

/** Requires the caller's own password. A wrong one is 422, because clients discard their session after a 401. */
export async function requirePassword(caller: Caller, password: string): Promise<void> {
  if (!(await knowsPassword(caller, password)))
    throw new AppError('wrong_password', { errors: { password: 'Invalid credentials' } });
}

export async function hashNewPassword(input: NewPassword): Promise<string> {
  await checkNewPassword(input);
  return hashPassword(input.password);
}

// Existing clients compare these texts. The one for a registration differs from the one for a change.
const weakPassword = 'The password score does not match standards.';
const weakFirstPassword =
  'The password score does not match standards: please choose one that is harder to guess (invalid param password).';

/** Refuses a confirmation that differs, and a password that is easy to guess. */
async function checkNewPassword(input: NewPassword): Promise<void> {
  if (input.password !== input.confirmation)
    throw refusal('password_confirmation', 'The password_confirmation does not match the password.');
  const names = [input.email, input.email.split('@')[0] ?? '', await nameOf(input.merchant)];
  if (isGuessable(input.password) || names.some((name) => isBuiltOn(input.password, name)))
    throw refusal('password', input.isFirst ? weakFirstPassword : weakPassword);
}

interface PasswordChange {
  action: 'password.change' | 'password.reset';
  passwordHash: string;
  exceptSessionId?: string;
  brandingId?: number | undefined;
}

/**
 * Sets the actor's password, ends all sessions except the current one, and mails the owner. A thief with the former password
 * may have requested a change of the address, so a change that waits ends too.
 */
export async function replacePassword(
  inTransaction: Transaction,
  actor: Actor,
  { action, passwordHash, exceptSessionId, brandingId }: PasswordChange,
): Promise<void> {
  const { accountId } = actor;
  const account = await getAccount(accountId, inTransaction);
  await account.update({ passwordHash, updatedAt: new Date() }, { transaction: inTransaction });
  await endWaitingChange(inTransaction, accountId);
  await audit(inTransaction, actor, { action, object: ['account', accountId] });
  await endSessions(inTransaction, { accountId, ...(exceptSessionId !== undefined && { exceptSessionId }) });
  const { merchantId, email: to } = account;
  const url = forgottenPasswordUrl(account);
  const values = url === undefined ? {} : { url };
  await queueMail(inTransaction, { merchantId, accountId, brandingId, to, template: 'password_changed', values });
  if (account.role !== 'consumer') return;
  const resource = { merchant_id: merchantId, customer_id: accountId, email: to, timestamp: unixSeconds(new Date()) };
  const dedupeKey = `customer:${randomUUID()}`;
  await publish(inTransaction, merchantId, [{ type: 'customer.password.updated', accountId, dedupeKey, resource }]);
}

/**
 * Hashes the password again if the parameters of its hash are weaker than the current ones. A password that changes at
 * the same time is not touched.
 */
export async function strengthenHash(account: Account, password: string): Promise<Account> {
  if (!isOutdated(account.passwordHash)) return account;
  const passwordHash = await hashPassword(password);
  await Account.update({ passwordHash }, { where: { id: account.id, passwordHash: account.passwordHash } });
  return account.reload();
}

async function knowsPassword(caller: Caller, password: string): Promise<boolean> {
  const { passwordHash } = await getAccount(caller.accountId);
  const attempt = { kind: 'password', subject: caller.accountUuid, address: caller.clientAddress } as const;
  const known = await throttleAttempts(
    attempt,
    async () => (await verifyPassword(passwordHash, password)) || undefined,
  );
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

/** Whether the password is the name with fewer than four other characters before and after it. */
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
