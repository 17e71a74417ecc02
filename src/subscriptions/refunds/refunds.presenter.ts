import { unixSeconds } from '../../kit/time';
import { type RefundResource } from '../../notifications/events';
import { type Purchase } from '../charges/charges.model';
import { type PaymentFacts } from '../payments/paymentSteps.model';
import { type RefundableCharge, type Refund } from './refunds.model';

/** The refunded amount, the amount of the charge, and the refunded amount with its currency, as text. */
export interface RefundTexts {
  plain: string;
  full: string;
  formatted: string;
}

/** The payment's resource, with the refunded amount as its amount. */
export function presentRefund(
  refund: Refund,
  charge: RefundableCharge,
  purchase: Purchase,
  facts: PaymentFacts & { amounts: RefundTexts; at: Date },
): RefundResource {
  return {
    code: 200,
    status: 'success',
    timestamp: unixSeconds(facts.at),
    transaction: purchase.token,
    trx_token: charge.trxToken,
    refund_token: refund.token,
    item_id: purchase.itemId,
    previewTitle: facts.previewTitle,
    access_fee_id: purchase.accessFeeId,
    description: facts.description,
    customer_id: purchase.accountId,
    email: facts.email,
    amount: facts.amounts.plain,
    full_amount: facts.amounts.full,
    discount_percent: 0,
    voucher_code: '',
    currency_iso: refund.currency,
    formatted_amount: facts.amounts.formatted,
    payment_method: 'card',
    next_rebill_date: 0,
    referrer: purchase.referrer,
    is_partial: refund.amountMinor < charge.amountMinor,
    note: '',
  };
}

export function presentRefundFailure(refund: Refund, charge: RefundableCharge, purchase: Purchase, message: string) {
  return {
    account_id: purchase.accountId,
    access_fee_id: purchase.accessFeeId,
    transaction: purchase.token,
    trx_token: charge.trxToken,
    refund_token: refund.token,
    code: 422 as const,
    message,
    explain: { '422': message },
    extras: { item_id: purchase.itemId, referrer: purchase.referrer },
  };
}
