import { merchantNow, now } from '../../../adapters/clock';
import { transaction, type Transaction } from '../../../adapters/postgres/connection';
import { findAccessEnd, findLastEnd } from '../../../items/access/running/service';
import { endOfTime, grantAccess } from '../../../items/access/service';
import { prolongAccess } from '../../../items/access/withdrawals/service';
import { queueMail } from '../../../mail/service';
import { type NewEvent } from '../../../notifications/events';
import { publish } from '../../../notifications/publish';
import { type PaymentFailureInput } from '../../../../workflows/messages';
import { amountText, formatAmount } from '../../billing/money';
import { periodEnd } from '../../billing/periods';
import { promiseReturn } from '../../refunds/service';
import { dayText } from '../../lifecycle/steps/service';
import { Payment } from '../model';
import { keepVoucher, makeGift, releaseVoucher } from '../offers/service';
import { getPaymentFacts, type PaymentFacts } from './model';
import { presentFailure, presentPayment } from './presenter';

/** The outcomes of a one-time payment. Each step of its workflow may run twice; its effect happens once. */

/**
 * The money is there: access first, or the gift, then the events and the receipt, in one transaction. `isOver`: it came
 * after the end of what was bought, and goes back.
 */
export function completePayment(paymentId: number): Promise<{ isOver?: true }> {
  return transaction(async (inTransaction) => {
    const row = await lockPayment(paymentId, inTransaction);
    if (row.state !== 'incomplete') return row.state === 'failed' ? over : {};
    const paidAt = await merchantNow(row.merchantId, inTransaction);
    if (row.accessEndsAt !== null && row.accessEndsAt <= paidAt) {
      await giveBackPayment(inTransaction, row);
      return over;
    }
    await row.update({ state: 'paid', paidAt, updatedAt: now() }, { transaction: inTransaction });
    await keepVoucher(inTransaction, row.token);
    const facts = await getPaymentFacts(row, inTransaction);
    const given = await give(row, facts, paidAt, inTransaction);
    await mailReceipt(row, facts, paidAt, inTransaction);
    const { accountId, token } = row;
    const resource = describePayment(row, facts, paidAt);
    await publish(inTransaction, row.merchantId, [
      ...given,
      { type: 'payment.card.success', accountId, dedupeKey: `${token}:success`, resource },
    ]);
    return {};
  });
}

const over = { isOver: true } as const;

/** The payer took longer than the offer lasted: nothing is given for the money, so it goes back. */
async function giveBackPayment(inTransaction: Transaction, row: Payment): Promise<void> {
  await promiseReturn(inTransaction, row);
  await fail(inTransaction, row, { reason: 'offer_over', message: 'The offer has ended.' });
}

/** Nothing was bought: no access, nothing charged, and the app is told why. */
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
  const { accountId, token } = row;
  await publish(inTransaction, row.merchantId, [
    { type: 'payment.card.failed', accountId, dedupeKey: `${token}:failed`, resource: presentFailure(row, message) },
  ]);
}

/** The refund that ended its access has failed: what was bought lasts as long as it would have. */
export async function reopenPayment(paymentId: number, cause: string, inTransaction: Transaction): Promise<void> {
  const row = await lockPayment(paymentId, inTransaction);
  const endOf = (countsFrom: Date) => row.accessEndsAt ?? endAfter(row, countsFrom);
  await prolongAccess(inTransaction, row, { source: 'payment', sourceId: row.id, endOf }, cause);
}

function lockPayment(id: number, inTransaction: Transaction): Promise<Payment> {
  const lock = inTransaction.LOCK.UPDATE;
  return Payment.findByPk(id, { rejectOnEmpty: true, transaction: inTransaction, lock });
}

/** A gift is its receiver's: the buyer gets no access. */
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

/** The fee's fixed date, or the period: from now on, or after what the account has already (subscriptions 3.6). */
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

async function mailReceipt(row: Payment, facts: PaymentFacts, paidAt: Date, inTransaction: Transaction): Promise<void> {
  const { merchantId, accountId, brandingId, chargedMinor, currency, token } = row;
  if (chargedMinor === 0) return;
  const amount = formatAmount(chargedMinor, currency);
  const values = { description: facts.description, amount, date: dayText(paidAt), token };
  await queueMail(inTransaction, { merchantId, accountId, brandingId, to: facts.email, template: 'receipt', values });
}

function describePayment(row: Payment, facts: PaymentFacts, at: Date) {
  const { chargedMinor, priceMinor, setupFeeMinor, currency } = row;
  const amounts = {
    plain: amountText(chargedMinor, currency),
    full: amountText(priceMinor + setupFeeMinor, currency),
    formatted: formatAmount(chargedMinor, currency),
  };
  return presentPayment(row, amounts, { ...facts, status: 'success', at });
}
