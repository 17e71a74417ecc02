import { type z } from 'zod';
import { transaction } from '../../adapters/postgres/connection';
import { audit } from '../../audit/audit';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { unixSeconds } from '../../kit/time';
import { forgetWithCommit } from '../tokens/callers';
import { mailChange } from './mails';
import { proveFactor } from './proofs';
import { replaceCodes } from './recoveryCodes';
import { type FactorsResponse } from './secondFactors.schemas';
import {
  countRecoveryCodes,
  type FactorRow,
  findFactor,
  lockHolder,
  noteProof,
  removeFactors,
} from './secondFactors.model';

/** The second factor of an account that has one. */

export async function listFactors(caller: Caller): Promise<z.output<typeof FactorsResponse>> {
  const holder = holderOf(caller);
  const factor = await findFactor(holder);
  return {
    collection: factor ? [{ id: factor.id, kind: factor.kind, confirmed_at: unixSeconds(factor.confirmed_at) }] : [],
    recovery_codes_left: await countRecoveryCodes(holder),
  };
}

/** A code is required, so that a stolen session cannot switch the factor off. */
export async function deleteFactor(
  caller: Caller,
  { factorId, code }: { factorId: string; code: string },
  { requestId }: RequestFacts,
) {
  const holder = holderOf(caller);
  const factor = await getFactor(caller);
  if (factor.id !== factorId) throw new AppError('second_factor_not_found');
  await proveFactor(proverOf(caller), factor, code);
  await transaction(async (inTransaction) => {
    await lockHolder(inTransaction, holder);
    if (!(await removeFactors(inTransaction, holder.id))) throw new AppError('second_factor_not_found');
    forgetWithCommit(inTransaction, holder.id);
    await mailChange(inTransaction, holder, 'second_factor_off');
    await audit(inTransaction, caller, { action: 'second_factor.disable', object: ['account', holder.id], requestId });
  });
  return message('The second factor is off');
}

export async function createRecoveryCodes(caller: Caller, code: string, { requestId }: RequestFacts) {
  const holder = holderOf(caller);
  await proveFactor(proverOf(caller), await getFactor(caller), code);
  const codes = await transaction(async (inTransaction) => {
    await lockHolder(inTransaction, holder);
    if (!(await findFactor(holder, inTransaction))) throw new AppError('second_factor_not_found');
    const made = await replaceCodes(inTransaction, holder);
    await noteProof(inTransaction, caller.sessionId);
    await audit(inTransaction, caller, { action: 'recovery_codes.create', object: ['account', holder.id], requestId });
    return made;
  });
  return { ...message('Earlier recovery codes no longer work'), recovery_codes: codes };
}

export async function getFactor(caller: Caller): Promise<FactorRow> {
  const factor = await findFactor(holderOf(caller));
  if (!factor) throw new AppError('second_factor_not_found');
  return factor;
}

const holderOf = ({ accountId: id, merchantId }: Caller) => ({ id, merchantId });

export const proverOf = (caller: Caller) => ({
  ...holderOf(caller),
  uuid: caller.accountUuid,
  clientAddress: caller.clientAddress,
});
