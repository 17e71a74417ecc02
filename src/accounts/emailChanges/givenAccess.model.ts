import { type Transaction } from '../../adapters/postgres/connection';
import { execute } from '../../adapters/postgres/statement';
import { findChangedObjects } from '../../audit/audit.model';
import { removeSecrets } from '../../oauthApps/oauthApps.model';
import { proofsBegin, type EmailChangeRow } from './emailChanges.model';

/**
 * Ends what a member of a merchant's team has given to others in the same time: invitations that wait, and secrets of apps. The
 * owner makes new ones. Returns the client ids of these apps.
 */
export async function endGivenAccess(
  inTransaction: Transaction,
  change: Pick<EmailChangeRow, 'merchant_id' | 'account_id' | 'created_at'>,
): Promise<string[]> {
  const { merchant_id: merchantId, account_id: accountId } = change;
  const since = proofsBegin(change);
  const invitations = 'DELETE FROM staff_invitations WHERE merchant_id = $1 AND invited_by = $2 AND created_at >= $3';
  await execute(inTransaction, invitations, [merchantId, accountId, since]);
  const apps = await findChangedObjects(inTransaction, {
    ...{ merchantId, actorAccountId: accountId, since },
    objectType: 'app',
    action: ['app.create', 'app.replace_secret'],
  });
  return removeSecrets(inTransaction, merchantId, apps);
}
