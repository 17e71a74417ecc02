import { type z } from 'zod';
import { transaction } from '../../adapters/postgres/connection';
import { baseUrl } from '../../adapters/settings';
import { audit } from '../../audit/audit';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { unixSeconds } from '../../kit/time';
import { Account } from '../accounts.model';
import { forgetWithCommit } from '../tokens/callers';
import { requireOpenSession } from '../tokens/openSessions';
import { endSessionsOfPeople } from '../tokens/tokens';
import { requirePasswordOrSignIn } from './confirmations';
import { mailChange } from './mails';
import { throttleCodes } from './proofs';
import { replaceCodes } from './recoveryCodes';
import { type NewFactorResponse } from './secondFactors.schemas';
import { confirmFactor, findFactor, findOpenFactor, insertFactor, lockHolder, noteProof } from './secondFactors.model';
import { openSecret, sealSecret } from './secrets';
import { createSecret, findStep, uriOf } from './totp';

/**
 * An account gets a second factor in two steps: the secret for the authenticator app, and the first code of the app.
 */

const minutesToConfirm = 10;

/** The password is required, so that a stolen session cannot lock the owner out. */
export async function startEnrolment(
  caller: Caller,
  password: string | undefined,
): Promise<z.output<typeof NewFactorResponse>> {
  await requirePasswordOrSignIn(caller, password);
  const { accountId: id, merchantId } = caller;
  const account = await Account.findOne({ where: { id, merchantId } });
  if (!account) throw new AppError('account_not_found');
  const secret = createSecret();
  const sealedSecret = sealSecret(account, secret);
  const factor = await transaction(async (inTransaction) => {
    await lockHolder(inTransaction, account);
    if (await findFactor(account, inTransaction)) throw new AppError('second_factor_exists');
    return insertFactor(inTransaction, account, { sealedSecret, lifetimeMinutes: minutesToConfirm });
  });
  const uri = uriOf(secret, { issuer: await issuerOf(account), label: account.email });
  return { id: factor.id, secret, uri, expires_at: unixSeconds(factor.expires_at) };
}

/**
 * Other sessions of people end, because they were opened without the factor. Sessions that an app opened with its
 * secret stay.
 */
export async function confirmEnrolment(
  caller: Caller,
  { factorId, code }: { factorId: string; code: string },
  { requestId }: RequestFacts,
) {
  const { accountId, accountUuid: uuid, clientAddress, sessionId } = caller;
  const holder = { id: accountId, merchantId: caller.merchantId };
  const open = await findOpenFactor(holder, factorId);
  if (!open) throw new AppError('second_factor_not_found');
  const secret = openSecret(holder, open.sealed_secret);
  const digits = code.replaceAll(/[\s-]/g, '');
  const step = await throttleCodes({ uuid, clientAddress }, () => Promise.resolve(findStep(secret, digits)));
  const codes = await transaction(async (inTransaction) => {
    await lockHolder(inTransaction, holder);
    await requireOpenSession(inTransaction, caller);
    if (await findFactor(holder, inTransaction)) throw new AppError('second_factor_exists');
    if (!(await confirmFactor(inTransaction, holder, { factorId, step })))
      throw new AppError('second_factor_not_found');
    forgetWithCommit(inTransaction, accountId);
    const made = await replaceCodes(inTransaction, holder);
    await noteProof(inTransaction, sessionId);
    await audit(inTransaction, caller, { action: 'second_factor.enable', object: ['account', accountId], requestId });
    await endSessionsOfPeople(inTransaction, { accountId, exceptSessionId: sessionId, reason: 'second_factor_on' });
    await mailChange(inTransaction, holder, 'second_factor_on');
    return made;
  });
  return { ...message('The second factor is on'), recovery_codes: codes };
}

/** The name under which the app lists the account: the merchant for a customer, our host for a merchant. */
export async function issuerOf(account: Account): Promise<string> {
  if (account.role !== 'consumer') return new URL(baseUrl).hostname;
  const merchant = await Account.findByPk(account.merchantId);
  return merchant?.fullName ?? new URL(baseUrl).hostname;
}
