import { type Transaction } from '../../adapters/postgres/connection';
import { baseUrl } from '../../adapters/settings';
import { AppError } from '../../kit/errors';
import { hashOf } from '../../kit/secrets';
import { Account } from '../accounts.model';
import { lockHolder } from '../secondFactors/secondFactors.model';
import { type TokenHome } from '../signIn/mailedTokens';
import { type EmailChangeRow } from './emailChanges.model';

/** The links in the mails about a change of an address. Only hashes of their tokens are stored. */

/** Where the reader of the new address confirms a change. */
export const confirmationUrl = (token: string) => `${baseUrl}/accounts/email/${token}`;

/** Where the owner of the former address stops or undoes a change. */
export const refusalUrl = (token: string) => `${baseUrl}/accounts/email/stop/${token}`;

type Finder = (hash: Buffer, inTransaction?: Transaction) => Promise<EmailChangeRow | undefined>;

/**
 * The change of a valid link, and its account. The account is locked first, as in all changes of an account. Of several
 * concurrent uses of a link, the first gets the lock, and the others find a used link.
 */
export async function takeChange(
  inTransaction: Transaction,
  token: string,
  find: Finder,
): Promise<{ change: EmailChangeRow; account: Account }> {
  const found = await find(hashOf(token), inTransaction);
  if (found) await lockHolder(inTransaction, { id: found.account_id, merchantId: found.merchant_id });
  const change = found && (await find(hashOf(token), inTransaction));
  const account = change && (await findHolder(change, inTransaction));
  if (!change || !account) throw new AppError('email_token_invalid');
  return { change, account };
}

/** The account of a valid link. */
export async function findHolder(
  { account_id: id, is_alive }: EmailChangeRow,
  inTransaction?: Transaction,
): Promise<Account | undefined> {
  const where = { id, isActive: true, erasingAt: null };
  const account = is_alive && (await Account.findOne({ where, ...(inTransaction && { transaction: inTransaction }) }));
  return account || undefined;
}

/** Whether a link is valid, and the merchant of its account. Undefined for a used or unknown link. */
export async function findLinkHome(
  token: string,
  find: Finder,
): Promise<(TokenHome & { change: EmailChangeRow; account: Account }) | undefined> {
  const change = await find(hashOf(token));
  const account = change && (await Account.findByPk(change.account_id));
  if (!change || !account) return undefined;
  const { role, merchantUuid } = account;
  const isAlive = (await findHolder(change)) !== undefined;
  return {
    change,
    account,
    isAlive,
    merchantUuid: role === 'consumer' ? merchantUuid : undefined,
    isOperator: role === 'operator',
  };
}
