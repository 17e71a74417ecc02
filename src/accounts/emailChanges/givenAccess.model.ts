import { type Transaction } from '../../adapters/postgres/connection';
import { execute } from '../../adapters/postgres/statement';
import { proofsBegin, type EmailChangeRow } from './emailChanges.model';

/**
 * Ends what a member of a merchant's team has given to others in the same time: invitations that wait, and secrets of apps. The
 * owner makes new ones. Returns the client ids of these apps.
 */
export async function endGivenAccess(inTransaction: Transaction, change: EmailChangeRow): Promise<string[]> {
  const { merchant_id: merchantId, account_id: accountId } = change;
  const since = proofsBegin(change);
  const invitations = 'DELETE FROM staff_invitations WHERE merchant_id = $1 AND invited_by = $2 AND created_at >= $3';
  await execute(inTransaction, invitations, [merchantId, accountId, since]);
  const apps = await execute<{ client_id: string }>(
    inTransaction,
    `UPDATE oauth_apps SET secret_hash = NULL WHERE merchant_id = $1 AND id::text IN (
       SELECT object_id FROM audit_log WHERE merchant_id = $1 AND actor_account_id = $2 AND created_at >= $3
         AND object_type = 'app' AND action IN ('app.create', 'app.replace_secret'))
     RETURNING client_id`,
    [merchantId, accountId, since],
  );
  return apps.map(({ client_id }) => client_id);
}
