import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type PurchaseRow } from './purchases.model';
import { type PurchasePage } from './purchases.schemas';

/** `amount`: in the currency's major unit; `method`: the name of the payment method for people. */
export function presentPurchase(
  row: PurchaseRow,
  { amount, method }: { amount: number; method: string },
): z.output<typeof PurchasePage>['collection'][number] {
  return {
    type: row.type,
    item_access_id: row.id,
    item_id: row.itemId,
    item_title: row.itemTitle,
    merchant_id: row.merchantId,
    customer_id: row.accountId,
    consumer_email: row.email,
    customer_email: row.email,
    purchased_access_fee_id: row.accessFeeId ?? 0,
    purchased_access_fee_description: row.feeDescription ?? '',
    purchased_access_fee_type: row.feeType ?? '',
    purchased_amount: amount,
    ...(row.addsTax && { tax_behavior: 'exclusive' as const }),
    purchased_currency: row.currency ?? '',
    is_trial: row.isTrial ?? false,
    payment_method: method,
    payment_tool: cardText(row),
    store_environment: row.storeEnvironment ?? '',
    parent_resource_id: row.parentToken ?? '',
    revoked: row.revokedAt === null ? 0 : 1,
    starts_at: unixSeconds(row.startsAt),
    expires_at: unixSeconds(row.expiresAt),
    created_at: unixSeconds(row.createdAt),
  };
}

function cardText({ cardBrand: brand, cardLastFour: lastFour }: PurchaseRow): string {
  if (brand === null || lastFour === null) return '';
  return `${brand.charAt(0).toUpperCase()}${brand.slice(1)} ${lastFour}`.trim();
}
