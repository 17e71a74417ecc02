import { type z } from 'zod';
import { transaction } from '../../adapters/postgres/connection';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { unixSeconds } from '../../kit/time';
import { Account } from '../accounts.model';
import { requireRecentSignIn } from '../secondFactors/recentFactors';
import { endSessions } from '../tokens/tokens';
import { linkedProviders } from './possession';
import { type IdentitiesResponse } from './identities.schemas';
import { SocialIdentity } from './social.model';

/** The identities at other services with which an account signs in. */

export async function listIdentities({ merchantId, accountId }: Caller): Promise<z.output<typeof IdentitiesResponse>> {
  const rows = await SocialIdentity.findAll({ where: { merchantId, accountId }, order: [['provider', 'ASC']] });
  return {
    collection: rows.map(({ provider, isProven, createdAt }) => ({
      provider,
      is_proven: isProven,
      linked_at: unixSeconds(createdAt),
    })),
  };
}

/**
 * Removes the identities of a provider, after a recent sign-in: a stolen session must not take away a way to sign in. All
 * other sessions end, because such an identity may have opened one of them. An account without a password gets one by
 * mail.
 */
export async function unlinkIdentity(caller: Caller, provider: string) {
  const { merchantId, accountId, sessionId: exceptSessionId } = caller;
  if ((await SocialIdentity.count({ where: { merchantId, accountId, provider } })) === 0)
    throw new AppError('identity_not_found');
  await requireRecentSignIn(caller);
  await transaction(async (inTransaction) => {
    const where = { merchantId, accountId, provider };
    if ((await SocialIdentity.destroy({ where, transaction: inTransaction })) === 0)
      throw new AppError('identity_not_found');
    const socialAppsMetadata = await linkedProviders(inTransaction, accountId);
    await Account.update({ socialAppsMetadata }, { where: { id: accountId, merchantId }, transaction: inTransaction });
    await endSessions(inTransaction, { accountId, exceptSessionId, reason: 'identity_removed' });
  });
  return message('The account no longer signs in with this service');
}
