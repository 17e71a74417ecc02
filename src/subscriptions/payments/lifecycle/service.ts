import { merchantNow, now } from '../../../adapters/clock';
import { transaction, type Transaction } from '../../../adapters/postgres/connection';
import { findAccessEnd } from '../../../items/access/running/service';
import { endOfTime, grantAccess } from '../../../items/access/service';
import { queueMail } from '../../../mail/service';
import { type NewEvent } from '../../../notifications/events';
import { publish } from '../../../notifications/publish';
import { type PaymentFailureInput } from '../../../../workflows/messages';
import { amountText, formatAmount } from '../../billing/money';
import { periodEnd } from '../../billing/periods';
import { Payment } from '../model';
import { keepVoucher, makeGift, releaseVoucher } from '../offers/service';
import { getPaymentFacts, type PaymentFacts } from './model';
import { presentFailure, presentPayment } from './presenter';

/** The outcomes of a one-time payment. Each step of its workflow may run twice; its effect happens once. */

/** The money is there: access first, or the gift, then the events and the receipt, in one transaction. */
export function completePayment(paymentId: number): Promise<void> {
  return transaction(async (inTransaction) => {
    const row = await lockPayment(paymentId, inTransaction);
    if (row.state !== 'incomplete') return;
    const paidAt = await merchantNow(row.merchantId, inTransaction);
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
  });
}

/** Nothing was bought: no access, nothing charged, and the app is told why. */
export function failPayment({ paymentId, reason, message }: PaymentFailureInput): Promise<void> {
  return transaction(async (inTransaction) => {
    const row = await lockPayment(paymentId, inTransaction);
    if (row.state !== 'incomplete') return;
    const changes = { state: 'failed', failureReason: reason, failureMessage: message, updatedAt: now() } as const;
    await row.update(changes, { transaction: inTransaction });
    await releaseVoucher(inTransaction, row.token);
    const { accountId, token } = row;
    await publish(inTransaction, row.merchantId, [
      { type: 'payment.card.failed', accountId, dedupeKey: `${token}:failed`, resource: presentFailure(row, message) },
    ]);
  });
}

function lockPayment(id: number, inTransaction: Transaction): Promise<Payment> {
  const lock = inTransaction.LOCK.UPDATE;
  return Payment.findByPk(id, { rejectOnEmpty: true, transaction: inTransaction, lock });
}

/** A gift is its receiver's: the buyer gets no access. */
async function give(row: Payment, facts: PaymentFacts, paidAt: Date, inTransaction: Transaction): Promise<NewEvent[]> {
  const { merchantId, accountId, itemId, accessFeeId, receiverEmail, token } = row;
  if (receiverEmail !== null) {
    const about = { merchantId, itemId, accessFeeId, receiverEmail, deliverOn: row.deliverOn };
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

/** The fee's fixed date, or the period after what the account has already (subscriptions 3.6). */
async function accessTime(row: Payment, paidAt: Date, inTransaction: Transaction) {
  if (row.accessEndsAt) return { expiresAt: row.accessEndsAt };
  const countsFrom = (await findAccessEnd(row.accountId, row.itemId, inTransaction)) ?? paidAt;
  const endsAt = periodEnd(countsFrom, 1, { quantity: row.periodQuantity, period: row.period });
  return { countsFrom, expiresAt: endsAt < endOfTime ? endsAt : endOfTime };
}

async function mailReceipt(row: Payment, facts: PaymentFacts, paidAt: Date, inTransaction: Transaction): Promise<void> {
  const { merchantId, accountId, chargedMinor, currency, token } = row;
  if (chargedMinor === 0) return;
  const amount = formatAmount(chargedMinor, currency);
  const values = { description: facts.description, amount, date: paidAt.toISOString().slice(0, 10), token };
  await queueMail(inTransaction, { merchantId, accountId, to: facts.email, template: 'receipt', values });
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
