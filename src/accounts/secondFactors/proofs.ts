import { transaction } from '../../adapters/postgres/connection';
import { throttleAttempts } from '../../adapters/postgres/throttling';
import { audit } from '../../audit/audit';
import { AppError } from '../../kit/errors';
import { useCode } from './recoveryCodes';
import { type FactorRow, type Holder, useStep } from './secondFactors.model';
import { openSecret } from './secrets';
import { findStep } from './totp';

/** The account whose code is checked. */
export interface Prover extends Holder {
  uuid: string;
  clientAddress: string;
}

/**
 * Accepts a code of the authenticator app or a recovery code, once. Wrong codes are throttled like wrong passwords.
 * Throws `second_factor_code_invalid`, which does not reveal whether the code was wrong or already used.
 */
export async function proveFactor(prover: Prover, factor: FactorRow, code: string): Promise<void> {
  const digits = code.replaceAll(/[\s-]/g, '');
  await throttleCodes(prover, async () => {
    const isUsed = /^\d{6}$/.test(digits)
      ? await useAppCode(prover, factor, digits)
      : await useRecoveryCode(prover, code);
    return isUsed || undefined;
  });
}

/** Runs a check of a code. Throws `second_factor_code_invalid` if it is wrong. */
export async function throttleCodes<T>(
  { uuid, clientAddress }: Pick<Prover, 'uuid' | 'clientAddress'>,
  check: () => Promise<T | undefined>,
): Promise<T> {
  const attempt = { kind: 'second-factor', subject: uuid, address: clientAddress } as const;
  const found = await throttleAttempts(attempt, check);
  if (found === undefined)
    throw new AppError('second_factor_code_invalid', { errors: { code: 'The code is not valid.' } });
  return found;
}

async function useAppCode(prover: Prover, factor: FactorRow, digits: string): Promise<boolean> {
  const step = findStep(openSecret(prover, factor.sealed_secret), digits);
  if (step === undefined) return false;
  return transaction((inTransaction) => useStep(inTransaction, factor.id, step));
}

async function useRecoveryCode({ id: accountId, merchantId, clientAddress }: Prover, code: string): Promise<boolean> {
  return transaction(async (inTransaction) => {
    const isUsed = await useCode(inTransaction, accountId, code);
    const entry = { action: 'recovery_code.use', object: ['account', accountId] } as const;
    if (isUsed) await audit(inTransaction, { merchantId, accountId, clientAddress }, entry);
    return isUsed;
  });
}
