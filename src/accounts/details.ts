import { type z } from 'zod';
import { getOwned, transaction } from '../adapters/postgres/connection';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { requireDateOfBirth } from '../restrictions/settings';
import { Account } from './accounts.model';
import { presentAccount } from './accounts.presenter';
import { checkRegisterFields, listRequiredFields } from './registerFields';
import { publishCustomer } from './accounts';
import { forgetWithCommit } from './tokens/callers';
import { type AccountChange } from './details.schemas';

/**
 * Updates an account. Anybody may change their own account; a merchant, or a follower with the right, may change a
 * customer's. While the merchant verifies ages, a consumer must have a date of birth.
 */
export async function updateAccount(caller: Caller, input: z.output<typeof AccountChange>, requestId: string) {
  const account = await getChangeable(caller, input.id ?? caller.accountId);
  const { metadata, full_name: fullName, referrer, date_of_birth: bornAt } = input;
  const isOwn = account.id === caller.accountId && caller.actorUuid === undefined;
  const dateOfBirth = bornAt && bornAt.toISOString().slice(0, 10);
  if (account.role === 'consumer') {
    if (isOwn) requireSameBirthday(account, dateOfBirth);
    // A date that is already stored need not be sent again.
    if (account.dateOfBirth === null) await requireDateOfBirth(account.merchantId, bornAt);
    if (metadata) await checkRegisterFields(account.merchantId, metadata);
  }
  const change = {
    fullName,
    updatedAt: new Date(),
    ...(metadata && { metadata }),
    ...(referrer !== undefined && { referrer }),
    ...(dateOfBirth !== undefined && { dateOfBirth }),
  };
  await transaction(async (inTransaction) => {
    await account.update(change, { transaction: inTransaction });
    forgetWithCommit(inTransaction, account.id);
    // The audit log shows the names of merchants and their staff, so it also has the changes of these names.
    if (!isOwn || account.role !== 'consumer')
      await audit(inTransaction, caller, { action: 'account.update', object: ['account', account.id], requestId });
    if (account.role === 'consumer') await publishCustomer(inTransaction, account, 'customer.updated');
  });
  return presentAccount(account, await listRequiredFields(account.merchantId));
}

/**
 * A consumer sets the date of birth once. If it could be edited, minimum ages would have no effect. The merchant can
 * correct it.
 */
function requireSameBirthday({ dateOfBirth }: Account, sent: string | undefined): void {
  if (sent === undefined || dateOfBirth === null || dateOfBirth === sent) return;
  const text = 'The date_of_birth cannot be changed. Please contact the provider of this service.';
  throw new AppError('invalid_input', { errors: { date_of_birth: text } });
}

/** The account to change. An account that the caller may not change gets the same response as an unknown one (404). */
async function getChangeable(caller: Caller, accountId: number): Promise<Account> {
  if (accountId === caller.accountId) return getOwned(Account, caller.merchantId, accountId, 'account_not_found');
  if (caller.role !== 'merchant') throw new AppError('account_not_found');
  if (!caller.scopes.includes('accounts:write')) throw new AppError('forbidden');
  const account = await getOwned(Account, caller.merchantId, accountId, 'account_not_found');
  // A follower may change customers of its master, but not the master or an account that is being erased.
  if (account.role !== 'consumer' || account.erasingAt !== null) throw new AppError('account_not_found');
  return account;
}
