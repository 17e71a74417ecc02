import { getSettings } from '../../accounts/settings';
import { merchantNow } from '../../adapters/clock';
import { transaction } from '../../adapters/postgres/connection';
import { type Caller } from '../../kit/auth';
import { type ChargeInput, type ChargeOutcome } from '../../../workflows/messages';
import { publishPending } from './actions';
import { type OpenedCharge } from './opening.model';
import { outcomeOf } from './outcomes';
import { findUndecided, listUndecidedDebits } from './processing.model';
import { settleAndCount } from './settling';

/** Charges on which a bank decides within days: direct debits. */

/** The additional data that a provider needs for a direct debit. Empty for a card. */
export async function debitOf(charge: OpenedCharge, input: ChargeInput): Promise<{ isDebit?: true; at?: Date }> {
  if (!charge.isDebit) return {};
  const atMs = 'paymentId' in input ? undefined : input.atMs;
  return { isDebit: true, at: atMs === undefined ? await merchantNow(charge.merchantId) : new Date(atMs) };
}

/** Records that the bank decides, and publishes that the payment of a subscription is pending. */
export function followDebit(charge: OpenedCharge, reference: string): Promise<ChargeOutcome> {
  return transaction(async (inTransaction) => {
    const after = await settleAndCount(charge, { status: 'processing', reference }, inTransaction);
    const isSubmitted = after.isWritten && charge.status === 'open';
    if (isSubmitted && charge.kind === 'subscription') await publishPending(charge, inTransaction);
    return outcomeOf(after);
  });
}

/**
 * Whether a charge opens access before its money has arrived. A first purchase can. A renewal always keeps its access.
 */
export async function withAccess(charge: OpenedCharge, outcome: ChargeOutcome): Promise<ChargeOutcome> {
  if (outcome.outcome !== 'processing' || charge.isRenewal) return outcome;
  const { debitAccess } = await getSettings(charge.merchantId);
  return debitAccess === 'at_submission' ? { ...outcome, opensAccess: true } : outcome;
}

/** Whether a bank still decides on a direct debit of the caller's subscription. */
export const isUndecided = async ({ accountId }: Pick<Caller, 'accountId'>, token: string): Promise<boolean> =>
  (await findUndecided(accountId, token)).length > 0;

/** The caller's first payments by direct debit on which the bank still decides, without access yet. */
export const getUndecidedDebits = ({ accountId }: Pick<Caller, 'accountId'>) => listUndecidedDebits(accountId);
