import { z } from 'zod';
import { taxBehavior } from '../items/accessFees/accessFees.schemas';
import { formId } from '../kit/form';
import { cursorPageOf, CursorQuery } from '../kit/page';

const purchaseTypes = ['purchased', 'granted', 'revoked', 'expired'] as const;

/** `customerID` is the merchant's filter. */
export const PurchaseQuery = CursorQuery.extend({
  status: z.enum(['active', 'inactive', 'all']).optional(),
  type: z.enum(purchaseTypes).optional(),
  customerID: formId().optional(),
});

/** Strict decoders need texts that are never null, and `revoked` as a number. Times are Unix seconds. */
export const PurchasePage = cursorPageOf(
  z.object({
    type: z.enum(purchaseTypes),
    item_access_id: z.int(),
    item_id: z.int(),
    item_title: z.string(),
    merchant_id: z.int(),
    customer_id: z.int(),
    consumer_email: z.string(),
    customer_email: z.string(),
    purchased_access_fee_id: z.int(),
    purchased_access_fee_description: z.string(),
    purchased_access_fee_type: z.string(),
    purchased_amount: z.number(),
    tax_behavior: taxBehavior(),
    purchased_currency: z.string(),
    is_trial: z.boolean(),
    payment_method: z.string(),
    payment_tool: z.string(),
    /** The store's environment, `production` or `sandbox`; empty for other purchases. */
    store_environment: z.string(),
    parent_resource_id: z.string(),
    revoked: z.union([z.literal(0), z.literal(1)]),
    starts_at: z.int(),
    expires_at: z.int(),
    created_at: z.int(),
  }),
);
