import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { audit } from '../../audit/audit';
import { type RequestFacts } from '../../kit/endpoint';
import { publishCustomer } from '../accounts';
import { createToken } from '../signIn/mailedTokens';
import { linkedProviders, unusablePassword } from '../signIn/possession';
import { forgetWithCommit } from '../tokens/callers';
import { endSessions } from '../tokens/tokens';
import {
  changeAddress,
  deleteChangesFrom,
  deleteMailedTokens,
  deleteProofsSince,
  type EmailChangeRow,
  findRefusableChange,
} from './emailChanges.model';
import { findLinkHome, takeChange } from './links';

/**
 * The owner of the former address says: this was not me. A change that waits is stopped, and a confirmed one is undone. The other
 * person had a session or the password, so all sessions end, the password is replaced, and the ways to sign in that were added
 * since a week before the request are removed. Returns a token with which the owner immediately sets a new password.
 */
export async function refuseEmailChange(token: string, request: RequestFacts): Promise<string> {
  const passwordHash = await unusablePassword();
  return transaction(async (inTransaction) => {
    const { change, account } = await takeChange(inTransaction, token, findRefusableChange);
    const { id: accountId, merchantId } = account;
    // The former address stays free for this account until the row is deleted.
    if (change.is_confirmed) await changeBack(inTransaction, change);
    await deleteChangesFrom(inTransaction, change);
    await deleteProofsSince(inTransaction, change);
    await deleteMailedTokens(inTransaction, accountId);
    await account.reload({ transaction: inTransaction });
    const socialAppsMetadata = await linkedProviders(inTransaction, accountId);
    const restored = { passwordHash, socialAppsMetadata, updatedAt: new Date() };
    await account.update(restored, { transaction: inTransaction });
    forgetWithCommit(inTransaction, accountId);
    const resetToken = await createToken(inTransaction, account, 'password_reset');
    const entry = { action: 'email.refuse', object: ['account', accountId], requestId: request.requestId } as const;
    await audit(inTransaction, { merchantId, accountId, clientAddress: request.clientAddress }, entry);
    await endSessions(inTransaction, { accountId });
    if (account.role === 'consumer' && change.is_confirmed)
      await publishCustomer(inTransaction, account, 'customer.updated');
    return resetToken;
  });
}

/** The change of a link, whether it is valid, and the merchant of the account. Undefined for a used or unknown link. */
export const findRefusalHome = (token: string) => findLinkHome(token, findRefusableChange);

async function changeBack(inTransaction: Transaction, change: EmailChangeRow): Promise<void> {
  const { former_email: email, former_email_normalized: emailNormalized } = change;
  const isChanged = await changeAddress(inTransaction, change.account_id, { email, emailNormalized });
  if (!isChanged) throw new Error('the former address of an account was not held');
}
