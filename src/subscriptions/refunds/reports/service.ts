import { cardProvider } from '../../../adapters/cardProviders';
import { type ReportedRefund } from '../../../adapters/cardProviders/provider';
import { merchantNow } from '../../../adapters/clock';
import { enqueue, type OutboxRow } from '../../../adapters/outbox';
import { type Transaction } from '../../../adapters/postgres/connection';
import { AppError } from '../../../kit/errors';
import { publicToken } from '../../../kit/publicTokens';
import { restoredSignal, subscriptionWorkflowId } from '../../../../workflows/messages';
import { type ChargedPurchase } from '../../charges/model';
import { reopenPayment } from '../../payments/lifecycle/service';
import { killGift } from '../../payments/offers/service';
import { getChargeOf, lockRefunds, lowerPaid, Refund, reserveAmount } from '../model';
import { applyRefund, dropRefund } from '../outcomes/service';

/** What the provider reports of a charge's refunds: those made there, and ours that a bank did not take after all. */

/** Asks the provider, before anything is written. While it does not answer, it is to tell us again. */
export async function readRefunds(chargeReference: string): Promise<ReportedRefund[]> {
  const answer = await cardProvider.listRefunds?.(chargeReference);
  if (answer?.outcome === 'unknown') throw comeAgain();
  return answer?.refunds ?? [];
}

const comeAgain = () => new AppError('service_unavailable', { retryAfterSeconds: 60 });

/** Writes what we did not know of, with all that follows from it. Answers the words for the subscription's workflow. */
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
    else if (report.failure !== undefined)
      queued.push(await failAfterwards(inTransaction, purchase, ours, report.failure));
  }
  return queued.filter((row) => row !== undefined);
}

/** Made at the provider itself: given back whole, the access ends with it, as nobody can say there what else is meant. */
async function writeReported(
  inTransaction: Transaction,
  purchase: ChargedPurchase,
  { reference, amountMinor, failure }: ReportedRefund,
): Promise<OutboxRow | undefined> {
  const { merchantId, accountId, chargeId } = purchase;
  const at = await merchantNow(merchantId, inTransaction);
  const { amountMinor: paidMinor, currency, isGift } = await getChargeOf({ chargeId }, inTransaction);
  const about = { token: publicToken('R', cardProvider.suffix), merchantId, accountId, chargeId, currency };
  const made = { ...about, amountMinor, requestedBy: merchantId, reference };
  if (failure !== undefined) {
    const failed = { failureReason: 'refused', failureMessage: failure, settledAt: at, revokeAccess: false };
    await Refund.create({ ...made, ...failed, state: 'failed' }, { transaction: inTransaction });
    return undefined;
  }
  const refundedMinor = await reserveAmount(chargeId, amountMinor, inTransaction);
  // What is promised here besides is about to be refused there: then there is room for this one.
  if (refundedMinor === undefined) throw comeAgain();
  const isWhole = refundedMinor === paidMinor;
  if (isGift && isWhole) await killGift(inTransaction, purchase.token);
  const refund = await Refund.create({ ...made, revokeAccess: isWhole, state: 'open' }, { transaction: inTransaction });
  return applyRefund(refund, reference, at, inTransaction);
}

/** The money is the merchant's again: it may be given back anew, and what it had ended goes on. */
async function failAfterwards(
  inTransaction: Transaction,
  purchase: ChargedPurchase,
  refund: Refund,
  failure: string,
): Promise<OutboxRow | undefined> {
  if (refund.state === 'failed') return undefined;
  // Its own workflow is about to write what it has heard.
  if (refund.state === 'open') throw comeAgain();
  const at = await merchantNow(purchase.merchantId, inTransaction);
  const { isGift } = await getChargeOf(refund, inTransaction);
  await lowerPaid(refund.chargeId, -refund.amountMinor, inTransaction);
  const isEnded = refund.revokeAccess && !isGift;
  if (isEnded && purchase.kind === 'payment') await reopenPayment(purchase.id, `${refund.token}:failed`, inTransaction);
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
