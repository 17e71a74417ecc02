import { unusablePassword } from '../../adapters/passwords';
import { transaction } from '../../adapters/postgres/connection';
import { audit } from '../../audit/audit';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { endGivenAccess } from '../emailChanges/givenAccess.model';
import { deleteMailedTokens, deleteProofsSince, endWaitingChange } from '../emailChanges/emailChanges.model';
import { createToken, findTokenHome, redeemToken, resetTokenOf, type TokenHome } from '../signIn/mailedTokens';
import { linkedProviders } from '../signIn/possession';
import { forgetWithCommit } from '../tokens/callers';
import { endSessions, endSessionsOfClient } from '../tokens/tokens';
import { mailChange } from './mails';
import { findFactor } from './secondFactors.model';

/**
 * Rejects a new second factor by the link of its mail. The other person has the password, so the link undoes what the refusal
 * of a changed address undoes. It removes the factor and the ways to sign in that were added in the week before, or since. It
 * ends all sessions, and the invitations and the secrets of apps that the account made.
 *
 * Without the link, the owner could not enter the account again, because a new password by mail does not replace the
 * factor. The link is valid for a day. Before the factor was on, anybody who read the mailbox could reset the password, so
 * the link extends that by one day. A link whose factor was removed is not valid.
 *
 * Afterwards, the owner immediately sets a new password with the token of `resetTokenOf`.
 */
export async function rejectFactor(token: string, { clientAddress, requestId }: RequestFacts): Promise<void> {
  const passwordHash = unusablePassword();
  await transaction(async (inTransaction) => {
    const account = await redeemToken(inTransaction, token, 'second_factor_on');
    const factor = account && (await findFactor(account, inTransaction));
    if (!account || !factor) throw new AppError('reset_token_invalid');
    const { id: accountId, merchantId } = account;
    const added = { account_id: accountId, merchant_id: merchantId, created_at: factor.confirmed_at };
    await deleteProofsSince(inTransaction, added);
    await endWaitingChange(inTransaction, accountId);
    await deleteMailedTokens(inTransaction, accountId);
    const socialAppsMetadata = await linkedProviders(inTransaction, accountId);
    await account.update({ passwordHash, socialAppsMetadata, updatedAt: new Date() }, { transaction: inTransaction });
    forgetWithCommit(inTransaction, accountId);
    const entry = { action: 'second_factor.disable', object: ['account', accountId], requestId } as const;
    await audit(inTransaction, { merchantId, accountId, clientAddress }, entry);
    await mailChange(inTransaction, account, 'second_factor_off');
    await endSessions(inTransaction, { accountId });
    for (const clientId of await endGivenAccess(inTransaction, added))
      await endSessionsOfClient(inTransaction, clientId, { grantType: 'client_credentials' });
    await createToken(inTransaction, account, 'password_reset', resetTokenOf(token));
  });
}

/** The merchant of the token's holder. `isAlive` tells nothing about the factor, which may be removed already. */
export function findRejectionHome(token: string): Promise<TokenHome | undefined> {
  return findTokenHome(token, 'second_factor_on');
}
