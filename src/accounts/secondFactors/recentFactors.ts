import { transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { proveFactor } from './proofs';
import { getFactor, proverOf } from './secondFactors';
import { noteProof } from './secondFactors.model';

/**
 * Calls that could permanently harm a merchant require a recent code, because a session may be stolen or left open. The
 * rule applies only to accounts with a second factor or a passkey. It does not apply to sessions that an app opened
 * with its secret, because no person uses them.
 */

const recentMinutes = 10;

const outdatedStatement = statement(
  'sessions_without_recent_factor',
  `SELECT FROM sessions s WHERE (EXISTS (
       SELECT FROM second_factors f WHERE f.account_id = s.account_id AND f.confirmed_at IS NOT NULL)
     OR EXISTS (SELECT FROM passkeys p WHERE p.account_id = s.account_id))
     AND s.id = $1 AND s.merchant_id = $2 AND s.grant_type <> 'client_credentials'
     AND (s.factor_proven_at IS NULL OR s.factor_proven_at < now() - make_interval(mins => $3))`,
);

const operatorMinutes = 30;

const operatorStatement = statement<{ isRecent: boolean | null }>(
  'sessions_of_operator',
  `SELECT s.factor_proven_at > now() - make_interval(mins => $2) AS "isRecent"
   FROM sessions s JOIN second_factors f ON f.account_id = s.account_id AND f.confirmed_at IS NOT NULL WHERE s.id = $1`,
);

export async function requireRecentFactor({ sessionId, merchantId, role }: Caller): Promise<void> {
  if (role === 'operator') return requireOperatorFactor(sessionId);
  const outdated = await outdatedStatement([sessionId, merchantId, recentMinutes]);
  if (outdated.length > 0) throw new AppError('recent_factor_required');
}

/** An operator must have a second factor. */
async function requireOperatorFactor(sessionId: string): Promise<void> {
  const factors = await operatorStatement([sessionId, operatorMinutes]);
  if (factors.length === 0) throw new AppError('second_factor_missing');
  if (!factors.some(({ isRecent }) => isRecent)) throw new AppError('recent_factor_required');
}

/** Records a code that the caller enters in its session. */
export async function confirmRecentFactor(caller: Caller, code: string) {
  await proveFactor(proverOf(caller), await getFactor(caller), code);
  await transaction((inTransaction) => noteProof(inTransaction, caller.sessionId));
  return message('The code is valid');
}
