import { statement } from '../../adapters/postgres/statement';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { requirePasswordOrSignIn } from '../secondFactors/confirmations';
import { passwordTime } from '../secondFactors/recentFactors';

/**
 * A change of passkeys requires a proof of the owner, so that a stolen session does not become permanent access. The
 * proof is the second factor of the account. Without one, a sign-in of the last ten minutes or the password is enough.
 */

const recentMinutes = 10;

const proofStatement = statement<{ has_app: boolean; is_proven: boolean; is_new: boolean }>(
  'passkey_owner',
  `SELECT EXISTS (SELECT FROM second_factors f WHERE f.account_id = s.account_id AND f.confirmed_at IS NOT NULL) AS has_app,
     s.factor_proven_at IS NOT NULL AND s.factor_proven_at > now() - make_interval(mins => $3) AS is_proven,
     s.grant_type <> 'client_credentials' AND ${passwordTime} > now() - make_interval(mins => $3) AS is_new
   FROM sessions s WHERE s.id = $1 AND s.merchant_id = $2`,
);

export async function requireOwner(caller: Caller, password: string | undefined): Promise<void> {
  const [proof] = await proofStatement([caller.sessionId, caller.merchantId, recentMinutes]);
  if (proof?.is_proven === true) return;
  if (proof?.has_app === true) throw new AppError('recent_factor_required');
  if (proof?.is_new === true) return;
  await requirePasswordOrSignIn(caller, password, 'Enter your password, or sign in again.');
}
