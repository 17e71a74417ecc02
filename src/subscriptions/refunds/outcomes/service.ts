import { enqueue, type OutboxRow } from '../../../adapters/outbox';
import { type Transaction } from '../../../adapters/postgres/connection';
import { describeRevocation, endRefundedAccess } from '../../../items/access/service';
import { queueMail } from '../../../mail/service';
import { type NewEvent } from '../../../notifications/events';
import { publish } from '../../../notifications/publish';
import { revokedSignal, subscriptionWorkflowId } from '../../../../workflows/messages';
import { amountText, formatAmount } from '../../billing/money';
import { getPurchase, type Purchase } from '../../charges/model';
import { getPaymentFacts } from '../../payments/lifecycle/model';
import { returnVoucher, reviveGift } from '../../payments/offers/service';
import { getChargeOf, lowerPaid, releaseAmount, sumRefunded, type Refund, type RefundableCharge } from '../model';
import { presentRefund, presentRefundFailure } from '../presenter';

/** The outcomes of a refund, each in the transaction that locks its row. */

/** The money went back. Answers the word for the subscription's workflow, when its access is to end. */
export async function applyRefund(
  refund: Refund,
  reference: string,
  at: Date,
  inTransaction: Transaction,
): Promise<OutboxRow | undefined> {
  await refund.update({ state: 'refunded', reference, settledAt: at }, { transaction: inTransaction });
  const charge = await getChargeOf(refund, inTransaction);
  const purchase = await getPurchase(charge.id, inTransaction);
  if (await isWhole(charge, inTransaction)) await returnVoucher(inTransaction, purchase.token);
  await lowerPaid(charge.id, refund.amountMinor, inTransaction);
  // A gift opened nothing to its buyer.
  const endsAccess = refund.revokeAccess && !charge.isGift;
  const queued = endsAccess ? await revoke(refund, purchase, at, inTransaction) : undefined;
  const facts = await getPaymentFacts(purchase, inTransaction);
  const amounts = textsOf(refund, charge);
  const { merchantId } = refund;
  const { accountId, brandingId } = purchase;
  const values = { description: facts.description, amount: amounts.formatted, token: charge.trxToken };
  if (!facts.isErased)
    await queueMail(inTransaction, { merchantId, accountId, brandingId, to: facts.email, template: 'refund', values });
  await publish(inTransaction, merchantId, [
    ...(endsAccess ? await revokedEvents(refund, purchase, inTransaction) : []),
    {
      type: 'payment.refund.success',
      accountId,
      dedupeKey: `${refund.token}:success`,
      resource: presentRefund(refund, charge, purchase, { ...facts, amounts, at }),
    },
  ]);
  return queued;
}

/** The provider refused: what was set aside may be asked for again. */
export async function dropRefund(refund: Refund, text: string, at: Date, inTransaction: Transaction): Promise<void> {
  const changes = { state: 'failed', failureReason: 'refused', failureMessage: text, settledAt: at } as const;
  await refund.update(changes, { transaction: inTransaction });
  await releaseAmount(refund.chargeId, refund.amountMinor, inTransaction);
  const charge = await getChargeOf(refund, inTransaction);
  const purchase = await getPurchase(charge.id, inTransaction);
  if (charge.isGift) await reviveGift(inTransaction, purchase.token);
  await publish(inTransaction, refund.merchantId, [
    {
      type: 'payment.refund.failed',
      accountId: purchase.accountId,
      dedupeKey: `${refund.token}:failed`,
      resource: presentRefundFailure(refund, charge, purchase, text),
    },
  ]);
}

/** A voucher's use counts once, with the first charge. */
async function isWhole(charge: RefundableCharge, inTransaction: Transaction): Promise<boolean> {
  return charge.cycle === 1 && (await sumRefunded(charge.id, inTransaction)) === charge.amountMinor;
}

/** A payment's access ends here; a subscription's is its workflow's to end. */
async function revoke(
  { token, merchantId }: Refund,
  purchase: Purchase,
  at: Date,
  inTransaction: Transaction,
): Promise<OutboxRow | undefined> {
  if (purchase.kind === 'payment') {
    await endRefundedAccess(inTransaction, purchase, { source: 'payment', sourceId: purchase.id }, at);
    return undefined;
  }
  const { itemId, state } = purchase;
  const id = `${purchase.token}:revoked:${token}`;
  return enqueue(inTransaction, {
    messageId: id,
    workflow: 'subscription',
    workflowId: subscriptionWorkflowId(purchase.token),
    signal: revokedSignal,
    input: { id, atMs: at.getTime(), reason: 'refund' },
    labels: { merchantId, itemId, state, requestId: '', summary: '' },
  });
}

async function revokedEvents({ token }: Refund, purchase: Purchase, inTransaction: Transaction): Promise<NewEvent[]> {
  if (purchase.kind !== 'payment') return [];
  const { accountId, itemId } = purchase;
  const resource = await describeRevocation(inTransaction, itemId);
  return [{ type: 'access.revoked', accountId, dedupeKey: `${token}:revoked`, resource }];
}

function textsOf({ amountMinor, currency }: Refund, charge: RefundableCharge) {
  return {
    plain: amountText(amountMinor, currency),
    full: amountText(charge.amountMinor, currency),
    formatted: formatAmount(amountMinor, currency),
  };
}
