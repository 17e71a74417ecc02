import { unixSeconds } from '../../kit/time';
import { type PaymentResource } from '../../notifications/events';
import { type PurchaseFacts, type StorePurchaseRow } from './model';

/** What was paid, as text: plain and as people read it. */
export interface ShownAmount {
  plain: string;
  formatted: string;
  currency: string;
}

/** The resource of a store purchase's events, the same as of a card's payment (wire C.4). */
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
    // A store does not tell.
    referrer: '',
  };
}
