import { unusablePassword } from '../../adapters/passwords';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { audit } from '../../audit/audit';
import { type RequestFacts } from '../../kit/endpoint';
import { publish } from '../../notifications/publish';
import { type Account } from '../accounts.model';
import { publishCustomer } from '../accounts';
import { createToken, resetTokenOf } from '../signIn/mailedTokens';
import { linkedProviders } from '../signIn/possession';
import { forgetWithCommit } from '../tokens/callers';
import { endSessions, endSessionsOfClient } from '../tokens/tokens';
import {
  changeAddress,
  deleteChangesFrom,
  deleteMailedTokens,
  deleteProofsSince,
  endWaitingChange,
  type EmailChangeRow,
  findRefusableChange,
} from './emailChanges.model';
import { endGivenAccess } from './givenAccess.model';
import { findLinkHome, takeChange } from './links';

/**
 * The owner of the former address says: this was not me. A change that waits is stopped, and a confirmed one is undone. A
 * request that has ended may have been replaced by one that was confirmed, which is undone too. The other person had a
 * session or the password, so all sessions end and the password is replaced. The ways to sign in that were added since a
 * week before the request are removed, with the invitations and the secrets of apps that the account made.
 *
 * Afterwards, the owner immediately sets a new password with the token of `resetTokenOf`. If another account has the former
 * address after all, the account is deactivated, so that the other person cannot enter it with the new address.
 */
export async function refuseEmailChange(token: string, request: RequestFacts): Promise<{ isClosed: boolean }> {
  const passwordHash = unusablePassword();
  return transaction(async (inTransaction) => {
    const { change, account } = await takeChange(inTransaction, token, findRefusableChange);
    const { id: accountId, merchantId } = account;
    const isMoved = hasMoved(account, change);
    const isOwned = await changeBack(inTransaction, change, { isMoved });
    await deleteProofsSince(inTransaction, change);
    await deleteMailedTokens(inTransaction, accountId);
    await account.reload({ transaction: inTransaction });
    const socialAppsMetadata = await linkedProviders(inTransaction, accountId);
    const restored = { passwordHash, socialAppsMetadata, isActive: isOwned, updatedAt: new Date() };
    await account.update(restored, { transaction: inTransaction });
    forgetWithCommit(inTransaction, accountId);
    if (isOwned) await createToken(inTransaction, account, 'password_reset', resetTokenOf(token));
    const entry = { action: 'email.refuse', object: ['account', accountId], requestId: request.requestId } as const;
    await audit(inTransaction, { merchantId, accountId, clientAddress: request.clientAddress }, entry);
    await endSessions(inTransaction, { accountId });
    for (const clientId of await endGivenAccess(inTransaction, change))
      await endSessionsOfClient(inTransaction, clientId, { grantType: 'client_credentials' });
    if (account.role === 'consumer' && isMoved) await publishRefusal(inTransaction, account);
    return { isClosed: !isOwned };
  });
}

/**
 * The change of a link, whether it is valid, whether the account has another address by now, and its merchant. Undefined for a
 * used or unknown link.
 */
export async function findRefusalHome(token: string) {
  const found = await findLinkHome(token, findRefusableChange);
  return found && { ...found, isMoved: hasMoved(found.account, found.change) };
}

const hasMoved = ({ email }: Account, change: EmailChangeRow) => email !== change.former_email;

/** False if another account has the former address. The change then stays, so that an erasure finds data under this address. */
async function changeBack(
  inTransaction: Transaction,
  change: EmailChangeRow,
  { isMoved }: { isMoved: boolean },
): Promise<boolean> {
  const { account_id: accountId, former_email: email, former_email_normalized: emailNormalized } = change;
  // The former address stays free for this account until the row is deleted.
  const isOwned = !isMoved || (await changeAddress(inTransaction, accountId, { email, emailNormalized }));
  if (isOwned) await deleteChangesFrom(inTransaction, change);
  else await endWaitingChange(inTransaction, accountId);
  return isOwned;
}

async function publishRefusal(inTransaction: Transaction, account: Account): Promise<void> {
  if (account.isActive) return publishCustomer(inTransaction, account, 'customer.updated');
  const { id: accountId, merchantId, updatedAt } = account;
  const dedupeKey = `deactivated:${accountId}:${updatedAt.getTime()}`;
  await publish(inTransaction, merchantId, [{ type: 'account.deactivated', accountId, dedupeKey, resource: {} }]);
}
