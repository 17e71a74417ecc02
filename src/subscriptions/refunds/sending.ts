import { type RefundRequest, type RefundResult } from '../../adapters/cardProviders/refunds';
import { merchantNow } from '../../adapters/clock';
import { sendNow } from '../../adapters/outbox';
import { transaction } from '../../adapters/postgres/connection';
import { type RefundOutcome } from '../../../workflows/messages';
import { feeReturnOf } from '../charges/applicationFees';
import { getProviderOf } from '../provider/providers';
import { isRefundRestored } from '../restorations';
import { lockPeriods } from './losses';
import { applyRefund, dropRefund } from './outcomes';
import { getChargeOf, lockMoney, Refund, type RefundableCharge } from './refunds.model';

/** The steps of a refund's run: they send the refund and read its outcome from the provider. */

/** Refunds at most once: the token is the idempotency key, and a settled refund only returns its outcome. */
export async function sendRefund(refundId: number): Promise<RefundOutcome> {
  const refund = await Refund.findByPk(refundId, { rejectOnEmpty: true });
  if (refund.state === 'pending') return lookUpRefund(refundId);
  if (refund.state !== 'open') return outcomeOf(refund);
  const charge = await getChargeOf(refund);
  const request = requestOf(refund, charge);
  const provider = await getProviderOf(charge);
  // Providers keep an idempotency key for a day. So an older refund, or one from a restored backup, is looked up first.
  const isOld = Date.now() - refund.createdAt.getTime() > keptMs || (await isRefundRestored(refund.id));
  const earlier = isOld ? await provider.lookUpRefund(request) : undefined;
  if (earlier && earlier.outcome !== 'not_sent') return settle(refund, earlier);
  return settle(refund, await provider.refund({ ...request, ...(await feeReturnOf(refund.id, provider)) }));
}

const keptMs = 20 * 3_600_000;

/** Asks the provider for the outcome of a refund whose answer was lost, or on which the bank has not decided yet. */
export async function lookUpRefund(refundId: number): Promise<RefundOutcome> {
  const refund = await Refund.findByPk(refundId, { rejectOnEmpty: true });
  if (isSettled(refund)) return outcomeOf(refund);
  const charge = await getChargeOf(refund);
  const provider = await getProviderOf(charge);
  return settle(refund, await provider.lookUpRefund(requestOf(refund, charge)));
}

function requestOf(refund: Refund, charge: RefundableCharge): RefundRequest {
  return {
    idempotencyKey: refund.token,
    chargeKey: charge.idempotencyKey,
    chargeReference: charge.reference ?? '',
    amountMinor: refund.amountMinor,
    currency: refund.currency,
    reference: refund.reference,
  };
}

/** Saves the provider's answer and its consequences. */
async function settle({ id, merchantId }: Refund, result: RefundResult): Promise<RefundOutcome> {
  if (result.outcome === 'not_sent' || result.outcome === 'unknown') return result;
  const { settled, queued } = await transaction(async (inTransaction) => {
    const lock = inTransaction.LOCK.UPDATE;
    const refund = await Refund.findByPk(id, { rejectOnEmpty: true, transaction: inTransaction, lock });
    if (isSettled(refund)) return { settled: refund, queued: undefined };
    if (result.outcome === 'pending') {
      await refund.update({ state: 'pending', reference: result.reference }, { transaction: inTransaction });
      return { settled: refund, queued: undefined };
    }
    const at = await merchantNow(merchantId, inTransaction);
    if (result.outcome === 'refused') {
      await dropRefund(refund, result.message, at, inTransaction);
      return { settled: refund, queued: undefined };
    }
    // The locks of money come before those of tax.
    await (refund.excessMinor > 0 ? lockPeriods : lockMoney)(refund.chargeId, inTransaction);
    return { settled: refund, queued: await applyRefund(refund, result.reference, at, inTransaction) };
  });
  if (queued) await sendNow(queued);
  return outcomeOf(settled);
}

const isSettled = ({ state }: Refund) => state === 'refunded' || state === 'failed';

function outcomeOf({ state, failureMessage }: Refund): RefundOutcome {
  if (state === 'refunded') return { outcome: 'refunded' };
  if (state === 'failed') return { outcome: 'refused', message: failureMessage ?? '' };
  return { outcome: state === 'pending' ? 'pending' : 'unknown' };
}
