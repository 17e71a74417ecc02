import { baseUrl } from '../../adapters/settings';
import { enqueue, type OutboxRow } from '../../adapters/outbox';
import { type Transaction } from '../../adapters/postgres/connection';
import { describeRevocation, endRefundedAccess } from '../../entitlements/entitlements';
import { queueMail } from '../../mail/mail';
import { issueCreditNote } from '../../invoices/issuing';
import { returnTax } from '../../tax/chargeTaxes';
import { describeTax } from '../../tax/taxTexts';
import { type NewEvent } from '../../notifications/events';
import { publish } from '../../notifications/publish';
import { revokedSignal, subscriptionWorkflowId } from '../../../workflows/messages';
import { lossOfRefund } from '../../billing/losses';
import { amountText, formatAmount } from '../../billing/money';
import { getPurchase, type Purchase } from '../charges/charges.model';
import { getPaymentFacts } from '../payments/paymentSteps.model';
import { returnVoucher, reviveGift } from '../payments/offers';
import { getChargeOf, getMerchantEmail, sumRefunded, type Refund, type RefundableCharge } from './refunds.model';
import { loseOwn, spreadLoss, undoLosses } from './losses';
import { readExcessTaken } from './lostCredits.model';
import { presentRefund, presentRefundFailure } from './refunds.presenter';
import { release } from './reserves';

/** The outcomes of a refund. Each runs in the transaction that locks the refund. */

/**
 * The refund succeeded. Returns the signal by which the subscription's workflow ends access, if the refund ends it. The charge
 * is locked. If the refund has paid out used credit, `lockPeriods` was called before the balance was locked.
 */
export async function applyRefund(
  refund: Refund,
  reference: string,
  at: Date,
  inTransaction: Transaction,
): Promise<OutboxRow | undefined> {
  await refund.update({ state: 'refunded', reference, settledAt: at }, { transaction: inTransaction });
  const charge = await getChargeOf(refund, inTransaction);
  const taxMinor = await returnTax(refund, inTransaction);
  const purchase = await getPurchase(charge.id, inTransaction);
  if (await isWhole(charge, inTransaction)) await returnVoucher(inTransaction, purchase.token);
  await lowerPeriods(refund, inTransaction);
  // A gift gives its buyer no access.
  const endsAccess = refund.revokeAccess && !charge.isGift;
  const queued = endsAccess ? await revoke(refund, purchase, at, inTransaction) : undefined;
  const facts = await getPaymentFacts(purchase, inTransaction);
  const amounts = textsOf(refund, charge);
  const { merchantId, amountMinor, currency } = refund;
  const { accountId, brandingId } = purchase;
  const { description } = facts;
  const values = { description, token: charge.trxToken, amountMinor, currency, trxToken: refund.token };
  if (!facts.isErased)
    await queueMail(inTransaction, { merchantId, accountId, brandingId, to: facts.email, template: 'refund', values });
  const revoked = endsAccess ? await revokedEvents(refund, purchase, inTransaction) : [];
  await issueCreditNote(refund.id, at, inTransaction);
  await publish(inTransaction, merchantId, [
    ...revoked,
    {
      type: 'payment.refund.success',
      accountId,
      dedupeKey: `${refund.token}:success`,
      resource: {
        ...presentRefund(refund, charge, purchase, { ...facts, amounts, at }),
        ...describeTax(amountMinor, currency, { ...charge, taxMinor }),
      },
    },
  ]);
  return queued;
}

/** The period of the charge loses what the refund has paid out, and other periods lose the credit that they have used. */
async function lowerPeriods(refund: Refund, inTransaction: Transaction): Promise<void> {
  const { id: refundId, chargeId, amountMinor, creditMinor, excessMinor } = refund;
  const loweredMinor = await loseOwn({ refundId }, chargeId, amountMinor - creditMinor, inTransaction);
  // While the refund was pending, a declined charge may have returned a part of the used credit.
  const takenMinor = await readExcessTaken(refundId, inTransaction);
  const lossMinor = lossOfRefund({ amountMinor, creditMinor, excessMinor, loweredMinor, takenMinor });
  await spreadLoss({ refundId }, chargeId, lossMinor, inTransaction);
}

/**
 * The provider or the bank refused. The reserved amount can be refunded again, and the merchant is informed. If the refund had
 * succeeded before, its losses are undone, and `lockPeriods` was called before.
 */
export async function dropRefund(refund: Refund, text: string, at: Date, inTransaction: Transaction): Promise<void> {
  const changes = { state: 'failed', failureReason: 'refused', failureMessage: text, settledAt: at } as const;
  await refund.update(changes, { transaction: inTransaction });
  await release(refund, inTransaction);
  await undoLosses({ refundId: refund.id }, inTransaction);
  const charge = await getChargeOf(refund, inTransaction);
  const purchase = await getPurchase(charge.id, inTransaction);
  if (charge.isGift) await reviveGift(inTransaction, purchase.token);
  await reportFailure(refund, charge, text, inTransaction);
  await publish(inTransaction, refund.merchantId, [
    {
      type: 'payment.refund.failed',
      accountId: purchase.accountId,
      dedupeKey: `${refund.token}:failed`,
      resource: presentRefundFailure(refund, charge, purchase, text),
    },
  ]);
}

async function reportFailure(
  { merchantId, amountMinor, currency }: Refund,
  { trxToken: token }: RefundableCharge,
  reason: string,
  inTransaction: Transaction,
): Promise<void> {
  const to = await getMerchantEmail(merchantId, inTransaction);
  const url = `${baseUrl}/console/transactions/${token}/refund`;
  const values = { token, amountMinor, currency, reason, url };
  await queueMail(inTransaction, { merchantId, accountId: merchantId, to, template: 'refund_failed', values });
}

/** Whether the first charge is refunded in full. Its use of a voucher is then returned. */
async function isWhole(charge: RefundableCharge, inTransaction: Transaction): Promise<boolean> {
  return charge.cycle === 1 && (await sumRefunded(charge.id, inTransaction)) === charge.amountMinor;
}

/** Ends the access of a payment. For a subscription, its workflow ends the access. */
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
