import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';

/**
 * Calls that could permanently harm a merchant require a recent confirmation, because a session may be stolen or left
 * open. An account with a second factor or a passkey confirms with it. Without one, a session of our own pages confirms
 * with the password, or by a recent sign-in. Sessions of other clients without a factor are not asked, because existing
 * clients do not know the question. Sessions that an app opened with its secret are never asked, because no person uses
 * them.
 */

const recentMinutes = 10;

interface Confirmation {
  isOpen: boolean;
  isOfApp: boolean;
  hasFactor: boolean;
  isFactorRecent: boolean;
  isOfPages: boolean;
  isPasswordRecent: boolean;
}

/**
 * When the password was last entered. A company's provider may sign a person in without a question, so only the time that the
 * provider reports counts.
 */
export const passwordTime = `greatest(CASE WHEN s.grant_type <> 'company' THEN s.created_at END, s.password_proven_at)`;

const confirmationStatement = statement<Confirmation>(
  'session_confirmation',
  `SELECT s.revoked_at IS NULL AND s.expires_at > now() AS "isOpen", s.grant_type = 'client_credentials' AS "isOfApp",
     EXISTS (SELECT FROM second_factors f WHERE f.account_id = s.account_id AND f.confirmed_at IS NOT NULL)
       OR EXISTS (SELECT FROM passkeys p WHERE p.account_id = s.account_id) AS "hasFactor",
     coalesce(s.factor_proven_at > now() - make_interval(mins => $3), false) AS "isFactorRecent",
     s.browser_hash IS NOT NULL AS "isOfPages",
     coalesce(${passwordTime} > now() - make_interval(mins => $3), false) AS "isPasswordRecent"
   FROM sessions s WHERE s.id = $1 AND s.merchant_id = $2`,
);

const operatorMinutes = 30;

const operatorStatement = statement<{ isRecent: boolean | null }>(
  'sessions_of_operator',
  `SELECT s.factor_proven_at > now() - make_interval(mins => $2) AS "isRecent"
   FROM sessions s JOIN second_factors f ON f.account_id = s.account_id AND f.confirmed_at IS NOT NULL WHERE s.id = $1`,
);

/** `inTransaction`: the transaction of a rule that compares rows under a lock before it asks. */
export async function requireRecentFactor(caller: Caller, inTransaction?: Transaction): Promise<void> {
  if (caller.role === 'operator') return requireOperatorFactor(caller.sessionId);
  // An actor cannot confirm for the account.
  if (caller.actorUuid !== undefined) throw new AppError('forbidden');
  const confirmation = await findConfirmation(caller, inTransaction);
  if (!confirmation) return;
  refuseOld(confirmation, { isAsked: confirmation.isOfPages });
}

/**
 * For calls that decide who can sign in to the account. Existing clients do not make them, so sessions of other clients
 * are asked, too.
 */
export async function requireRecentSignIn(caller: Caller): Promise<void> {
  const confirmation = await findConfirmation(caller);
  if (confirmation) refuseOld(confirmation, { isAsked: true });
}

/** In place of the password of an account that has none. A session of an app is no sign-in of a person. */
export async function requireNewSignIn(caller: Caller): Promise<void> {
  const confirmation = await findConfirmation(caller);
  if (!confirmation) throw new AppError('recent_password_required');
  refuseOld(confirmation, { isAsked: true });
}

/** `isAsked`: whether a session of an account without a factor is asked for the password. */
function refuseOld(
  { hasFactor, isFactorRecent, isPasswordRecent }: Confirmation,
  { isAsked }: { isAsked: boolean },
): void {
  if (hasFactor && !isFactorRecent) throw new AppError('recent_factor_required');
  if (!hasFactor && isAsked && !isPasswordRecent) throw new AppError('recent_password_required');
}

/** For a call that requires the password itself: only the second factor is missing. */
export async function requireRecentFactorOnly(caller: Caller): Promise<void> {
  const confirmation = await findConfirmation(caller);
  if (confirmation?.hasFactor === true && !confirmation.isFactorRecent) throw new AppError('recent_factor_required');
}

/** A session that an app opened with its secret belongs to no person, and has no factor either. */
export async function requireFactor(caller: Caller): Promise<void> {
  const confirmation = await findConfirmation(caller);
  if (confirmation?.hasFactor !== true) throw new AppError('second_factor_missing');
}

/**
 * Undefined for a session of an app. Throws `invalid_auth_token` if the session has ended, because a replica can trust it
 * for some seconds afterwards, and most of these calls give access to somebody else.
 */
async function findConfirmation(
  { sessionId, merchantId }: Pick<Caller, 'sessionId' | 'merchantId'>,
  inTransaction?: Transaction,
): Promise<Confirmation | undefined> {
  const [confirmation] = await confirmationStatement([sessionId, merchantId, recentMinutes], inTransaction);
  if (confirmation?.isOpen === false) throw new AppError('invalid_auth_token');
  return confirmation?.isOfApp === true ? undefined : confirmation;
}

/** An operator must have a second factor. */
async function requireOperatorFactor(sessionId: string): Promise<void> {
  const factors = await operatorStatement([sessionId, operatorMinutes]);
  if (factors.length === 0) throw new AppError('second_factor_missing');
  if (!factors.some(({ isRecent }) => isRecent)) throw new AppError('recent_factor_required');
}
