import { unixSeconds } from '../../kit/time';
import { type OneTimePaymentResource } from '../../notifications/events';
import { type Payment } from './payments.model';
import { type PaymentFacts } from './paymentSteps.model';

/** The charged amount, the amount without the voucher, and the charged amount with its currency, as text. */
export interface AmountTexts {
  plain: string;
  full: string;
  formatted: string;
}

/** The resource of a payment's events. */
export function presentPayment(
  row: Payment,
  amounts: AmountTexts,
  facts: PaymentFacts & { status: string; at: Date },
): OneTimePaymentResource {
  return {
    code: 200,
    status: facts.status,
    timestamp: unixSeconds(facts.at),
    transaction: row.token,
    item_id: row.itemId,
    previewTitle: facts.previewTitle,
    access_fee_id: row.accessFeeId,
    description: facts.description,
    customer_id: row.accountId,
    email: facts.email,
    amount: amounts.plain,
    full_amount: amounts.full,
    discount_percent: row.discountPercent ?? 0,
    voucher_code: row.voucherCode,
    currency_iso: row.currency,
    formatted_amount: amounts.formatted,
    payment_method: facts.method ?? 'card',
    next_rebill_date: 0,
    referrer: row.referrer,
  };
}

export function presentFailure(row: Payment, message: string) {
  return {
    account_id: row.accountId,
    access_fee_id: row.accessFeeId,
    transaction: row.token,
    code: 422 as const,
    message,
    explain: { '422': message },
    extras: { item_id: row.itemId, referrer: row.referrer },
  };
}
