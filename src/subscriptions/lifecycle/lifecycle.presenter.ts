import { unixSeconds } from '../../kit/time';
import { type PaymentResource } from '../../notifications/events';
import { type Subscription, type SubscriptionFacts } from '../subscriptions.model';
import { type EventFacts } from './lifecycle.model';

/** The charged amount, the charged amount with its currency, and the amount without the discount, as text. */
export interface AmountTexts {
  plain: string;
  formatted: string;
  full: string;
  discountPercent: number;
}

/** The resource of a payment's events. */
export function presentPayment(
  row: SubscriptionFacts,
  amounts: AmountTexts,
  facts: EventFacts & { status: string; at: Date; isBilledNext: boolean },
): PaymentResource {
  const periodEnd = unixSeconds(row.currentPeriodEnd);
  return {
    code: 200,
    status: facts.status,
    timestamp: unixSeconds(facts.at),
    subscription_id: row.token,
    transaction: row.token,
    item_id: row.itemId,
    previewTitle: facts.previewTitle,
    access_fee_id: row.accessFeeId,
    description: facts.description,
    customer_id: row.accountId,
    email: facts.email,
    amount: amounts.plain,
    full_amount: amounts.full,
    discount_percent: amounts.discountPercent,
    voucher_code: row.voucherCode,
    currency_iso: row.currency,
    formatted_amount: amounts.formatted,
    payment_method: facts.method ?? 'card',
    next_rebill_date: facts.isBilledNext ? periodEnd : 0,
    current_period_end: periodEnd,
    referrer: row.referrer,
  };
}

export function presentFailure(row: Subscription, message: string) {
  return {
    account_id: row.accountId,
    access_fee_id: row.accessFeeId,
    subscription_id: row.token,
    code: 422 as const,
    message,
    explain: { '422': message },
    extras: { item_id: row.itemId, referrer: row.referrer },
  };
}

/** The resource of a declined renewal charge, for older back ends of merchants. */
export function presentRebillFailure({ merchantId }: SubscriptionFacts, payment: PaymentResource, at: Date) {
  const { amount, full_amount, currency_iso, item_id, transaction, payment_method } = payment;
  return {
    code: 402 as const,
    attempted_charge_amount: amount,
    full_amount,
    currency_iso,
    item_id,
    merchant_id: merchantId,
    subscription_token: transaction,
    payment_method,
    message: 'Subscription rebill failed',
    timestamp: at.getTime(),
  };
}
