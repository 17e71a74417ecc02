import { unixSeconds } from '../../kit/time';
import { type PaymentResource } from '../../notifications/events';
import { type PurchaseFacts, type StorePurchaseRow } from './purchases.model';

/** An amount as text: a plain number, and formatted for people. */
export interface ShownAmount {
  plain: string;
  formatted: string;
  currency: string;
}

/** The resource of a store purchase's events, in the form of a card payment's. */
export function presentPurchase(
  row: StorePurchaseRow,
  facts: PurchaseFacts,
  amount: ShownAmount,
  { status, at }: { status: string; at: Date },
): PaymentResource {
  const periodEnd = row.expiresAt === null ? 0 : unixSeconds(row.expiresAt);
  const isRenewing = row.autoRenew && (row.state === 'active' || row.state === 'grace');
  return {
    code: 200,
    status,
    timestamp: unixSeconds(at),
    subscription_id: row.token,
    transaction: row.token,
    item_id: row.itemId,
    previewTitle: facts.previewTitle,
    access_fee_id: row.accessFeeId,
    description: facts.description,
    customer_id: row.accountId,
    email: facts.email,
    amount: amount.plain,
    full_amount: amount.plain,
    discount_percent: 0,
    voucher_code: '',
    currency_iso: amount.currency,
    formatted_amount: amount.formatted,
    payment_method: row.store,
    next_rebill_date: isRenewing ? periodEnd : 0,
    current_period_end: periodEnd,
    // Stores do not report the referrer.
    referrer: '',
  };
}

/** The resource of a change of plans at the store that gives no access. */
export function presentPlanFailure(row: StorePurchaseRow, message: string) {
  return {
    account_id: row.accountId,
    access_fee_id: row.accessFeeId,
    subscription_id: row.token,
    code: 422 as const,
    message,
    explain: { '422': message },
    extras: { item_id: row.itemId, referrer: '' },
  };
}

export function presentRefundFailure(row: StorePurchaseRow, message: string) {
  return { ...presentPlanFailure(row, message), transaction: row.token };
}
