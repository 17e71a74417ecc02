import { unusablePassword } from '../../adapters/passwords';
import { type z } from 'zod';
import { countHourly } from '../../adapters/hourlyCounts';
import { getOwned, transaction, type Transaction } from '../../adapters/postgres/connection';
import { mailsPerHour } from '../../adapters/settings';
import { audit } from '../../audit/audit';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { Account } from '../accounts.model';
import { lockMailReader } from '../mailReaders';
import { createToken, findTokenHolder, findTokenHome, mailToken, redeemToken, requestMail } from './mailedTokens';
import { type TokenHome } from './mailedTokens';
import { confirmPossession, isFromOwner, knowsPassword, takePossession } from './possession';
import { type ActivationRequest } from './activation.schemas';

/** The response and its time are the same whether or not the address has an account. */
export async function sendActivation(input: z.output<typeof ActivationRequest>) {
  await requestMail(input.merchant_uuid, input.email, { purpose: 'activation', brandingId: input.branding_id });
  return message('If the account is there and not active yet, an activation e-mail is on its way');
}

/** Mails a new activation link to a customer who has not used the last one. The last link no longer works. */
export async function resendActivation(caller: Caller, accountId: number, { requestId }: RequestFacts) {
  const { merchantId } = caller;
  const { emailNormalized } = await getOwned(Account, merchantId, accountId, 'account_not_found');
  await countHourly(['activation', merchantId, emailNormalized], mailsPerHour);
  await transaction(async (inTransaction) => {
    const account = await lockMailReader(inTransaction, merchantId, accountId);
    if (!account.isActive) throw new AppError('mail_not_possible', { explain: 'The account is deactivated.' });
    if (account.activatedAt !== null) throw new AppError('mail_not_possible', { explain: 'The account is activated.' });
    await mailToken(inTransaction, account, 'activation');
    await audit(inTransaction, caller, { action: 'activation.resend', object: ['account', accountId], requestId });
  });
  return message('The activation e-mail is on its way again');
}

/**
 * Activates the account. The mailed token proves control of the mailbox, but not that the same person has registered.
 * If neither the request nor the password proves that, the owner of the mailbox takes the account over, and gets a link
 * to a new password.
 */
export async function activateAccount(token: string, request: RequestFacts, password?: string) {
  const isKnown = password !== undefined && (await checkPassword(token, password, request));
  return transaction(async (inTransaction) => {
    const account = await redeem(inTransaction, token);
    if (isKnown || (await isOwn(inTransaction, account, request))) await confirmPossession(inTransaction, account);
    else {
      await takePossession(inTransaction, account, { passwordHash: unusablePassword() });
      await mailToken(inTransaction, account, 'password_reset');
    }
    return { uuid: account.uuid };
  });
}

/**
 * Activates the account for the owner of its mailbox. Returns a token with which the owner immediately sets a new
 * password.
 */
export function takeOverAccount(token: string): Promise<string> {
  return transaction(async (inTransaction) => {
    const account = await redeem(inTransaction, token);
    await takePossession(inTransaction, account, { passwordHash: unusablePassword() });
    return createToken(inTransaction, account, 'password_reset');
  });
}

/**
 * Whether the password is needed to show that the same person has registered. Otherwise, the request alone shows it.
 */
export async function needsPassword(token: string, request: RequestFacts): Promise<boolean> {
  const account = await findTokenHolder(token, 'activation');
  return account !== undefined && !(await transaction((inTransaction) => isOwn(inTransaction, account, request)));
}

/** Whether this token can activate an account now, and the merchant of its holder. */
export function findActivationHome(token: string): Promise<TokenHome | undefined> {
  return findTokenHome(token, 'activation');
}

/** Whether the account belongs to the owner of its mailbox. The owner of an active account has proved this before. */
async function isOwn(inTransaction: Transaction, account: Account, request: RequestFacts): Promise<boolean> {
  return account.activatedAt !== null || isFromOwner(inTransaction, account, request);
}

/** Checks the password. A wrong one does not use the token. */
async function checkPassword(token: string, password: string, request: RequestFacts): Promise<true> {
  const account = await findTokenHolder(token, 'activation');
  if (!account) throw new AppError('activation_token_invalid');
  if (await knowsPassword(account, password, request)) return true;
  throw new AppError('wrong_password', { errors: { password: 'Invalid credentials' } });
}

async function redeem(inTransaction: Transaction, token: string): Promise<Account> {
  const account = await redeemToken(inTransaction, token, 'activation');
  if (!account) throw new AppError('activation_token_invalid');
  return account;
}
