import { transaction } from '../../adapters/postgres/connection';
import { type Caller } from '../../kit/auth';
import { message } from '../../kit/page';
import { requirePassword } from '../signIn/passwords';
import { proveFactor } from './proofs';
import { getFactor, proverOf } from './secondFactors';
import { notePassword, noteProof } from './secondFactors.model';

/** Confirmations of a session, which open the calls that require a recent one for ten minutes. */

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
