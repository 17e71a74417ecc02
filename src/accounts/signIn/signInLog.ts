import { LRUCache } from 'lru-cache';
import { logger } from '../../adapters/logger';
import { transaction } from '../../adapters/postgres/connection';
import { apart } from '../../adapters/postgres/requestWork';
import { audit } from '../../audit/audit';
import { type RequestFacts } from '../../kit/endpoint';
import { manyEntries } from '../../kit/manyEntries';
import { type Account } from '../accounts.model';

/**
 * Sign-ins in the audit log. Successful ones of customers are only in `sessions`: they change no data of the merchant, and
 * entries in the log of one merchant wait for each other.
 */

export async function recordSignIn(account: Account, request: RequestFacts): Promise<void> {
  if (account.role !== 'consumer') await record(account, request, 'sign_in.succeed');
}

/** Repeated failures of a customer fill no log: each replica records one per hour. */
const failedCustomers = new LRUCache<number, true>({ ...manyEntries(10_000), ttl: 3_600_000 });

/** The actor of the entry is the account of the attempt. The entry stays if the request fails. Never rejects. */
export async function recordFailedSignIn(account: Account, request: RequestFacts): Promise<void> {
  const { id, role } = account;
  if (role === 'consumer' && failedCustomers.has(id)) return;
  if (role === 'consumer') failedCustomers.set(id, true);
  await apart(() => record(account, request, 'sign_in.fail')).catch((error: unknown) => {
    failedCustomers.delete(id);
    logger.warn({ err: error }, 'a failed sign-in was not recorded');
  });
}

async function record(account: Account, request: RequestFacts, action: `sign_in.${string}`): Promise<void> {
  const { id: accountId, merchantId } = account;
  const { clientAddress, requestId } = request;
  await transaction((inTransaction) =>
    audit(
      inTransaction,
      { merchantId, accountId, clientAddress },
      { action, object: ['account', accountId], requestId },
    ),
  );
}
