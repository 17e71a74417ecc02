import { type CardProvider } from '../../adapters/cardProviders/provider';
import { type ReportedRefund } from '../../adapters/cardProviders/refunds';
import { merchantNow } from '../../adapters/clock';
import { enqueue, type OutboxRow } from '../../adapters/outbox';
import { type Transaction } from '../../adapters/postgres/connection';
import { cancelCreditNote } from '../../invoices/issuing';
import { AppError } from '../../kit/errors';
import { publicToken } from '../../kit/publicTokens';
import { restoredSignal, subscriptionWorkflowId } from '../../../workflows/messages';
import { type ChargedPurchase } from '../charges/charges.model';
import { reopenPayment } from '../payments/paymentSteps';
import { killGift } from '../payments/offers';
import { getProviderOf } from '../provider/providers';
import { getChargeOf, lockRefunds, Refund } from './refunds.model';
import { applyRefund, dropRefund } from './outcomes';
import { enqueueWorkflow } from './refunds';
import { followPaidBack, takeCreditBack } from './reserves';

/**
 * Refunds that the provider reports: those that were made at the provider, and our refunds that a bank has accepted or
 * rejected later.
 */

/** Lists a charge's refunds before anything is written. Without an answer, the provider must notify again later. */
export async function readRefunds(provider: CardProvider, chargeReference: string): Promise<ReportedRefund[]> {
  const answer = await provider.listRefunds?.(chargeReference);
  if (answer?.outcome === 'unknown') throw notifyLater();
  return answer?.refunds ?? [];
}

const notifyLater = () => new AppError('service_unavailable', { retryAfterSeconds: 60 });

/** Saves refunds and failures that are new, and returns the signals for the subscription's workflow. */
export async function followRefunds(
  inTransaction: Transaction,
  purchase: ChargedPurchase,
  reported: readonly ReportedRefund[],
): Promise<OutboxRow[]> {
  const known = await lockRefunds(inTransaction, purchase.chargeId);
  const queued: (OutboxRow | undefined)[] = [];
  for (const report of reported) {
    const ours = known.find(
      ({ token, reference }) => token === report.idempotencyKey || reference === report.reference,
    );
    if (!ours) queued.push(await writeReported(inTransaction, purchase, report));
    else if (ours.state === 'pending' && report.failure === undefined) {
      if (!report.isPending) queued.push(await succeed(inTransaction, purchase, ours, report.reference));
    } else if (report.failure !== undefined)
      queued.push(await failAfterwards(inTransaction, purchase, ours, report.failure));
  }
  return queued.filter((row) => row !== undefined);
}

/**
 * Saves a refund that was made at the provider. A full refund ends access, because the provider's dashboard does not
 * offer the choice.
 */
async function writeReported(
  inTransaction: Transaction,
  purchase: ChargedPurchase,
  { reference, amountMinor, failure, isPending }: ReportedRefund,
): Promise<OutboxRow | undefined> {
  const { merchantId, accountId, chargeId } = purchase;
  const at = await merchantNow(merchantId, inTransaction);
  const charge = await getChargeOf({ chargeId }, inTransaction);
  const { amountMinor: paidMinor, currency, isGift } = charge;
  const { suffix } = await getProviderOf(charge, inTransaction);
  const about = { token: publicToken('R', suffix), merchantId, accountId, chargeId, currency };
  const made = { ...about, amountMinor, requestedBy: merchantId, reference };
  if (failure !== undefined) {
    const failed = { failureReason: 'refused', failureMessage: failure, settledAt: at, revokeAccess: false };
    await Refund.create({ ...made, ...failed, state: 'failed' }, { transaction: inTransaction });
    return undefined;
  }
  const reserved = await followPaidBack(chargeId, amountMinor, inTransaction);
  // Another reserved refund exceeds the charge. The provider is about to refuse that one, and then this one fits.
  if (!reserved) throw notifyLater();
  const { creditMinor, excessMinor } = reserved;
  const isWhole = reserved.charge.refundedMinor === paidMinor;
  if (isGift && isWhole) await killGift(inTransaction, purchase.token);
  const state = isPending ? 'pending' : 'open';
  const open = { ...made, revokeAccess: isWhole, state, creditMinor, excessMinor } as const;
  const refund = await Refund.create(open, { transaction: inTransaction });
  await takeCreditBack(refund, inTransaction);
  // The refund's run asks the provider, in case the notification of the outcome is lost.
  if (isPending) return enqueueWorkflow(refund, '', inTransaction);
  return applyRefund(refund, reference, at, inTransaction);
}

/** The bank has accepted a pending refund. */
async function succeed(
  inTransaction: Transaction,
  { merchantId }: ChargedPurchase,
  refund: Refund,
  reference: string,
): Promise<OutboxRow | undefined> {
  return applyRefund(refund, reference, await merchantNow(merchantId, inTransaction), inTransaction);
}

/**
 * The refund failed after it was accepted or had succeeded. It can be made again, and the access that it ended is
 * restored.
 */
async function failAfterwards(
  inTransaction: Transaction,
  purchase: ChargedPurchase,
  refund: Refund,
  failure: string,
): Promise<OutboxRow | undefined> {
  if (refund.state === 'failed') return undefined;
  // The refund's own workflow is about to save the outcome.
  if (refund.state === 'open') throw notifyLater();
  const at = await merchantNow(purchase.merchantId, inTransaction);
  if (refund.state === 'pending') {
    await dropRefund(refund, failure, at, inTransaction);
    return undefined;
  }
  const { isGift } = await getChargeOf(refund, inTransaction);
  const isEnded = refund.revokeAccess && !isGift;
  if (isEnded && purchase.kind === 'payment') await reopenPayment(purchase.id, `${refund.token}:failed`, inTransaction);
  await cancelCreditNote(refund.id, at, inTransaction);
  await dropRefund(refund, failure, at, inTransaction);
  if (!isEnded || purchase.kind === 'payment') return undefined;
  const { token, merchantId, itemId, state } = purchase;
  const id = `${token}:restored:${refund.token}`;
  return enqueue(inTransaction, {
    messageId: id,
    workflow: 'subscription',
    workflowId: subscriptionWorkflowId(token),
    signal: restoredSignal,
    input: { id, atMs: at.getTime(), reason: 'refund' },
    labels: { merchantId, itemId, state, requestId: '', summary: '' },
  });
}
