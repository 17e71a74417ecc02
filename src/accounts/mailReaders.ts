import { type Transaction } from '../adapters/postgres/connection';
import { AppError } from '../kit/errors';
import { Account } from './accounts.model';

/**
 * Locks the customer to whom a merchant sends a mail again, so that the account is not erased in parallel. Throws
 * `account_not_found`, or `mail_not_possible` if the account was erased and has no address.
 */
export async function lockMailReader(
  inTransaction: Transaction,
  merchantId: number,
  accountId: number,
): Promise<Account> {
  const account = await Account.findOne({
    where: { id: accountId, merchantId, role: 'consumer' },
    transaction: inTransaction,
    lock: inTransaction.LOCK.NO_KEY_UPDATE,
  });
  if (!account) throw new AppError('account_not_found');
  if (account.erasingAt !== null) throw new AppError('mail_not_possible', { explain: 'The account is erased.' });
  return account;
}
