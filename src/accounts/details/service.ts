import { type z } from 'zod';
import { getOwned, transaction } from '../../adapters/postgres/connection';
import { actorOf, writeAudit } from '../../audit/service';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { requireDateOfBirth } from '../../restrictions/settings/service';
import { Account } from '../model';
import { presentAccount } from '../presenter';
import { checkRegisterFields, listRequiredFields } from '../registerFields/service';
import { forgetWithCommit } from '../tokens/callers/service';
import { type AccountChange } from './schemas';

/**
 * Everybody changes its own account; a merchant, or a follower who may, a customer's. While the merchant verifies ages a
 * consumer has to have a date of birth (spec 4.1).
 */
export async function updateAccount(caller: Caller, input: z.output<typeof AccountChange>, requestId: string) {
  const account = await getChangeable(caller, input.id ?? caller.accountId);
  const { metadata, full_name: fullName, referrer, date_of_birth: bornAt } = input;
  if (account.role === 'consumer') {
    // What is known already need not be sent again.
    if (account.dateOfBirth === null) await requireDateOfBirth(account.merchantId, bornAt);
    if (metadata) await checkRegisterFields(account.merchantId, metadata);
  }
  const change = {
    fullName,
    updatedAt: new Date(),
    ...(metadata && { metadata }),
    ...(referrer !== undefined && { referrer }),
    ...(bornAt && { dateOfBirth: bornAt.toISOString().slice(0, 10) }),
  };
  const isOwn = account.id === caller.accountId && caller.actorUuid === undefined;
  await transaction(async (inTransaction) => {
    await account.update(change, { transaction: inTransaction });
    forgetWithCommit(inTransaction, account.id);
    if (isOwn) return;
    await writeAudit(inTransaction, {
      ...actorOf(caller),
      action: 'account.update',
      objectType: 'account',
      objectId: account.id,
      requestId,
    });
  });
  return presentAccount(account, await listRequiredFields(account.merchantId));
}

/** Another merchant's customer, and anybody else's account, is one that does not exist (spec 4.1: 404). */
async function getChangeable(caller: Caller, accountId: number): Promise<Account> {
  if (accountId === caller.accountId) return getOwned(Account, caller.merchantId, accountId, 'account_not_found');
  if (caller.role !== 'merchant') throw new AppError('account_not_found');
  if (!caller.scopes.includes('accounts:write')) throw new AppError('forbidden');
  const account = await getOwned(Account, caller.merchantId, accountId, 'account_not_found');
  // A follower acts for its master's customers, never for the master itself; one that is to be forgotten is nobody's.
  if (account.role !== 'consumer' || account.erasingAt !== null) throw new AppError('account_not_found');
  return account;
}
