import { logger } from '../../adapters/logger';
import { transaction } from '../../adapters/postgres/connection';
import { audit } from '../../audit/audit';
import { type RequestFacts } from '../../kit/endpoint';
import { type Account } from '../accounts.model';

/**
 * Sign-ins of merchants, followers and operators, in the audit log. Sign-ins of customers are only in `sessions`: they
 * change no data of the merchant, and entries in the log of one merchant wait for each other.
 */

export async function recordSignIn(account: Account, request: RequestFacts): Promise<void> {
  await record(account, request, 'sign_in.succeed');
}

/** The actor of the entry is the account of the attempt. Never rejects. */
export async function recordFailedSignIn(account: Account, request: RequestFacts): Promise<void> {
  await record(account, request, 'sign_in.fail').catch((error: unknown) =>
    logger.warn({ err: error }, 'a failed sign-in was not recorded'),
  );
}

async function record(account: Account, request: RequestFacts, action: `sign_in.${string}`): Promise<void> {
  if (account.role === 'consumer') return;
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
