import { unusablePassword } from '../adapters/passwords';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { execute } from '../adapters/postgres/statement';
import { baseUrl } from '../adapters/settings';
import { audit } from '../audit/audit';
import { AppError } from '../kit/errors';
import { formEmail, normalizeEmail } from '../kit/form';
import { Account } from './accounts.model';
import { insertOperator } from './accounts';
import { endWaitingChange } from './emailChanges/emailChanges.model';
import { createToken } from './signIn/mailedTokens';
import { endSessions } from './tokens/tokens';

/** The operators of the installation. Only commands create and remove them. */

/**
 * Creates an operator, or lets an existing one choose a new password. Returns the link to the page that sets the
 * password. The link works once and expires in one hour.
 */
export async function inviteOperator(email: string): Promise<string> {
  const address = formEmail().parse(email);
  const passwordHash = unusablePassword();
  const token = await transaction(async (inTransaction) => {
    const known = await findOperator(inTransaction, address);
    const account =
      known ?? (await insertOperator({ full_name: 'Operator', username: address }, passwordHash, inTransaction));
    if (!account.isActive) await account.update({ isActive: true }, { transaction: inTransaction });
    const created = await createToken(inTransaction, account, 'password_reset');
    await record(inTransaction, account, known ? 'operator.invite' : 'operator.create');
    return created;
  });
  return `${baseUrl}/accounts/forgot-password/${token}`;
}

/** Ends the rights and the sessions of an operator. */
export async function removeOperator(email: string): Promise<void> {
  await transaction(async (inTransaction) => {
    const account = await getOperator(inTransaction, email);
    await account.update({ isActive: false }, { transaction: inTransaction });
    await endWaitingChange(inTransaction, account.id);
    await execute(inTransaction, 'DELETE FROM mailed_tokens WHERE account_id = $1', [account.id]);
    await record(inTransaction, account, 'operator.remove');
    await endSessions(inTransaction, { accountId: account.id });
  });
}

/** Removes the second factor of an operator who has lost it. The next sign-in requires a new one. */
export async function resetOperatorFactor(email: string): Promise<void> {
  await transaction(async (inTransaction) => {
    const account = await getOperator(inTransaction, email);
    for (const table of ['recovery_codes', 'second_factors'])
      await execute(inTransaction, `DELETE FROM ${table} WHERE account_id = $1`, [account.id]);
    await endWaitingChange(inTransaction, account.id);
    await record(inTransaction, account, 'second_factor.reset');
    await endSessions(inTransaction, { accountId: account.id });
  });
}

function findOperator(inTransaction: Transaction, email: string): Promise<Account | null> {
  const where = { role: 'operator', emailNormalized: normalizeEmail(email) } as const;
  return Account.findOne({ where, transaction: inTransaction, lock: inTransaction.LOCK.UPDATE });
}

async function getOperator(inTransaction: Transaction, email: string): Promise<Account> {
  const account = await findOperator(inTransaction, email);
  if (!account) throw new AppError('account_not_found');
  return account;
}

function record(inTransaction: Transaction, { id, merchantId }: Account, action: `${string}.${string}`): Promise<void> {
  return audit(inTransaction, { merchantId, accountId: id }, { action, object: ['account', id] });
}
