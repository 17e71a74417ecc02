import { merchantNow, now } from '../../adapters/clock';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { findAccessEnd, findLastEnd } from '../../entitlements/running';
import { grantAccess } from '../../entitlements/entitlements';
import { prolongAccess, withdrawAccess } from '../../entitlements/withdrawals';
import { AppError } from '../../kit/errors';
import { queueMail } from '../../mail/mail';
import { type NewEvent } from '../../notifications/events';
import { publish } from '../../notifications/publish';
import { describeTax, taxPart } from '../../tax/taxTexts';
import { type PaymentFailureInput } from '../../../workflows/messages';
import { receiptLines } from '../../billing/invoiceLines';
import { amountText, formatAmount, settledPart } from '../../billing/money';
import { dueOf } from '../../billing/tax/addedTax';
import { endOfTime, periodEnd } from '../../billing/periods';
import { refundUnusedPayment } from '../refunds/refunds';
import { findChargeOfPayment } from '../refunds/refunds.model';
import { Payment } from './payments.model';
import { failedEvent, paidEvent } from './outcomes';
import { keepVoucher, makeGift, releaseVoucher } from './offers';
import { getPaymentFacts, type PaymentFacts } from './paymentSteps.model';
import { presentPayment } from './paymentSteps.presenter';
import { reductionOfCharge } from '../lifecycle/prices';

/** The outcomes of a one-time payment. A step of the workflow may run twice. Its effect happens once. */

/**
 * The payment is paid. Grants access or creates the gift, and publishes the events, in one transaction. `isOver`: the
 * access that was bought has already ended, and the payment is refunded.
 */
export function completePayment(paymentId: number): Promise<{ isOver?: true }> {
  return transaction(async (inTransaction) => {
    const row = await lockPayment(paymentId, inTransaction);
    if (row.state !== 'incomplete') return row.state === 'failed' ? over : {};
    const paidAt = await merchantNow(row.merchantId, inTransaction);
    if (row.openedAt === null && row.accessEndsAt !== null && row.accessEndsAt <= paidAt) {
      await giveBackPayment(inTransaction, row);
      return over;
    }
    await row.update({ state: 'paid', paidAt, updatedAt: now() }, { transaction: inTransaction });
    await keepVoucher(inTransaction, row.token);
    const facts = await getPaymentFacts(row, inTransaction);
    const given = row.openedAt === null ? await give(row, facts, paidAt, inTransaction) : [];
    const charge = await findChargeOfPayment(inTransaction, row.id);
    const { amountMinor } = charge;
    await mailReceipt(row, { ...facts, ...charge }, paidAt, inTransaction);
    const resource = {
      ...describePayment(row, { ...facts, amountMinor }, paidAt),
      ...describeTax(amountMinor, row.currency, charge),
    };
    await publish(inTransaction, row.merchantId, [...given, paidEvent(row, facts, resource)]);
    return {};
  });
}

/**
 * Gives access before the money of a direct debit arrives. A gift waits for the money, because its code cannot be
 * revoked.
 */
export function openPayment(paymentId: number): Promise<void> {
  return transaction(async (inTransaction) => {
    const row = await lockPayment(paymentId, inTransaction);
    if (row.state !== 'incomplete' || row.openedAt !== null || row.isGift) return;
    const openedAt = await merchantNow(row.merchantId, inTransaction);
    await row.update({ openedAt, updatedAt: now() }, { transaction: inTransaction });
    const facts = await getPaymentFacts(row, inTransaction);
    await publish(inTransaction, row.merchantId, await give(row, facts, openedAt, inTransaction));
  });
}

const over = { isOver: true } as const;

/** Refunds a payment that was paid after the end of the access that it bought. */
async function giveBackPayment(inTransaction: Transaction, row: Payment): Promise<void> {
  await refundUnusedPayment(inTransaction, row);
  await fail(inTransaction, row, { reason: 'offer_over', message: 'The offer has ended.' });
}

/** The payment failed: there is no access and no charge, and an event contains the reason. */
export function failPayment({ paymentId, reason, message }: PaymentFailureInput): Promise<void> {
  return transaction(async (inTransaction) => {
    const row = await lockPayment(paymentId, inTransaction);
    if (row.state === 'incomplete') await fail(inTransaction, row, { reason, message });
  });
}

async function fail(
  inTransaction: Transaction,
  row: Payment,
  { reason, message }: { reason: string; message: string },
): Promise<void> {
  const changes = { state: 'failed', failureReason: reason, failureMessage: message, updatedAt: now() } as const;
  await row.update(changes, { transaction: inTransaction });
  await releaseVoucher(inTransaction, row.token);
  if (row.openedAt !== null)
    await withdrawAccess(inTransaction, row, { source: 'payment', sourceId: row.id }, `${row.token}:failed`);
  const facts = await getPaymentFacts(row, inTransaction);
  if (facts.method === 'direct_debit' && !facts.isErased) await mailFailedDebit(inTransaction, row, facts, reason);
  await publish(inTransaction, row.merchantId, [failedEvent(row, facts, { reason, message })]);
}

/** The bank decides days after the purchase, so the customer learns it from a mail. */
async function mailFailedDebit(
  inTransaction: Transaction,
  row: Payment,
  { description, email }: PaymentFacts,
  reason: string,
): Promise<void> {
  const { merchantId, accountId, brandingId, token, currency, itemId, chargedMinor: amountMinor } = row;
  const values = { description, token, amountMinor, currency, itemId, reason, method: 'direct_debit' as const };
  await queueMail(inTransaction, { merchantId, accountId, brandingId, to: email, template: 'debit_failed', values });
}

/** The refund that ended the access has failed: the access is restored until its original end. */
export async function reopenPayment(paymentId: number, cause: string, inTransaction: Transaction): Promise<void> {
  const row = await lockPayment(paymentId, inTransaction);
  const endOf = (countsFrom: Date) => row.accessEndsAt ?? endAfter(row, countsFrom);
  await prolongAccess(inTransaction, row, { source: 'payment', sourceId: row.id, endOf }, cause);
}

/** A restored backup may not have the row. The run then fails, and is not tried again. */
async function lockPayment(id: number, inTransaction: Transaction): Promise<Payment> {
  const row = await Payment.findByPk(id, { transaction: inTransaction, lock: inTransaction.LOCK.UPDATE });
  if (!row) throw new AppError('payment_not_found');
  return row;
}

/** A gift belongs to its receiver: the buyer gets no access. */
async function give(row: Payment, facts: PaymentFacts, paidAt: Date, inTransaction: Transaction): Promise<NewEvent[]> {
  const { merchantId, accountId, itemId, accessFeeId, receiverEmail, token, brandingId } = row;
  if (receiverEmail !== null) {
    const about = { merchantId, itemId, accessFeeId, receiverEmail, deliverOn: row.deliverOn, brandingId };
    await makeGift(inTransaction, { ...about, buyerAccountId: accountId, paymentToken: token });
    return [];
  }
  const lasts = await accessTime(row, paidAt, inTransaction);
  const access = await grantAccess(inTransaction, {
    merchantId,
    account: { id: accountId, uuid: facts.accountUuid, merchantUuid: facts.merchantUuid },
    itemId,
    accessFeeId,
    source: 'payment',
    sourceId: row.id,
    ipAddress: row.ipAddress,
    startsAt: paidAt,
    ...lasts,
  });
  return [{ type: 'access.granted', accountId, dedupeKey: `${token}:granted`, resource: access }];
}

/**
 * The start and end of access. It ends on the fee's fixed date, or after a period that starts now or after the
 * account's current access.
 */
async function accessTime(row: Payment, paidAt: Date, inTransaction: Transaction) {
  if (row.accessEndsAt) return { expiresAt: row.accessEndsAt };
  const isOnItsOwn = row.whenOwned === 'start_now';
  const findEnd = row.whenOwned === 'extend_current' ? findLastEnd : findAccessEnd;
  const countsFrom = (isOnItsOwn ? undefined : await findEnd(row.accountId, row.itemId, inTransaction)) ?? paidAt;
  return { ...(!isOnItsOwn && { countsFrom }), expiresAt: endAfter(row, countsFrom) };
}

function endAfter({ periodQuantity: quantity, period }: Payment, countsFrom: Date): Date {
  const endsAt = periodEnd(countsFrom, 1, { quantity, period });
  return endsAt < endOfTime ? endsAt : endOfTime;
}

/** `amountMinor` is the amount that the card paid. */
type PaidFacts = PaymentFacts & { amountMinor: number };

async function mailReceipt(
  row: Payment,
  facts: PaidFacts & { balanceMinor: number; trxToken: string } & Parameters<typeof taxPart>[0],
  paidAt: Date,
  inTransaction: Transaction,
): Promise<void> {
  const { merchantId, accountId, brandingId, currency, token } = row;
  if (facts.amountMinor === 0 && facts.balanceMinor <= 0) return;
  const { description, amountMinor, balanceMinor, trxToken } = facts;
  const settled = settledPart(balanceMinor);
  const date = paidAt.toISOString();
  const { itemId, priceMinor, setupFeeMinor, addedTax } = row;
  const price = { amountMinor, balanceMinor, priceMinor, setupFeeMinor, currency, addedTax };
  const lines = receiptLines({ ...price, reduction: reductionOfCharge(row, 1) });
  const parts = { ...(settled && { settled }), ...lines, ...taxPart(facts) };
  const values = { description, token, trxToken, amountMinor, currency, itemId, date, ...parts };
  await queueMail(inTransaction, { merchantId, accountId, brandingId, to: facts.email, template: 'receipt', values });
}

function describePayment(row: Payment, facts: PaidFacts, at: Date) {
  const { priceMinor, setupFeeMinor, currency } = row;
  const amounts = {
    plain: amountText(facts.amountMinor, currency),
    full: amountText(dueOf(priceMinor + setupFeeMinor, row.addedTax, currency), currency),
    formatted: formatAmount(facts.amountMinor, currency),
  };
  return presentPayment(row, amounts, { ...facts, status: 'success', at });
}
