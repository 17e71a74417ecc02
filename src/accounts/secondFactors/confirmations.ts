import { transaction } from '../../adapters/postgres/connection';
import { type Caller } from '../../kit/auth';
import { message } from '../../kit/page';
import { AppError } from '../../kit/errors';
import { hasPassword, requirePassword } from '../signIn/passwords';
import { proveFactor } from './proofs';
import { requireNewSignIn } from './recentFactors';
import { getFactor, proverOf } from './secondFactors';
import { notePassword, noteProof } from './secondFactors.model';

/** Confirmations of a session, which open the calls that require a recent one for ten minutes. */

/** Requires the password of the caller. An account without one requires a sign-in of the last ten minutes instead. */
export async function requirePasswordOrSignIn(
  caller: Caller,
  password: string | undefined,
  explain = 'The password must not be empty.',
): Promise<void> {
  if (password !== undefined) return requirePassword(caller, password);
  if (await hasPassword(caller)) throw new AppError('missing_parameter', { errors: { password: explain } });
  await requireNewSignIn(caller);
}

/** Records a code that the caller enters in its session. */
export async function confirmRecentFactor(caller: Caller, code: string) {
  await proveFactor(proverOf(caller), await getFactor(caller), code);
  await transaction((inTransaction) => noteProof(inTransaction, caller.sessionId));
  return message('The code is valid');
}

/** Records the password that the caller enters in its session. It does not replace the second factor of an account. */
export async function confirmPassword(caller: Caller, password: string) {
  await requirePassword(caller, password);
  await transaction((inTransaction) => notePassword(inTransaction, caller.sessionId));
  return message('The password is correct');
}
