import { type Transaction } from '../../adapters/postgres/connection';
import { execute } from '../../adapters/postgres/statement';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';

/**
 * For changes that give another session or another person access. A replica can trust a session for some seconds after its
 * end, and what such a session creates would outlive it. A change of the password, role or state of the account waits for
 * the commit. Throws `invalid_auth_token`.
 */
export async function requireOpenSession(
  inTransaction: Transaction,
  { accountId, sessionId }: Pick<Caller, 'accountId' | 'sessionId'>,
): Promise<void> {
  await execute(inTransaction, 'SELECT FROM accounts WHERE id = $1 FOR SHARE', [accountId]);
  if (!(await isSessionOpen(inTransaction, sessionId))) throw new AppError('invalid_auth_token');
}

/** Whether a session is still open, whatever a replica remembers. */
export async function isSessionOpen(inTransaction: Transaction, sessionId: string): Promise<boolean> {
  const text = 'SELECT FROM sessions WHERE id = $1 AND revoked_at IS NULL AND expires_at > now()';
  return (await execute(inTransaction, text, [sessionId])).length > 0;
}
