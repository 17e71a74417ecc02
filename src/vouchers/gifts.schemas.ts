import { z } from 'zod';
import { formId } from '../kit/form';
import { CursorQuery, nextCursorField, pageOf, PageQuery } from '../kit/page';

export const GiftPath = z.object({ id: formId() });
export const GiftQuery = CursorQuery;
export const OwnGiftQuery = PageQuery.extend({ direction: z.enum(['bought', 'received']).default('bought') });

/**
 * The paid amount is in the major unit. `status` distinguishes refunded gifts, which cannot be redeemed, from open
 * ones.
 */
export const GiftVoucherResponse = z.object({
  id: z.int(),
  code: z.string(),
  item_title: z.string(),
  item_id: z.int(),
  buyer_email: z.string(),
  receiver_email: z.string(),
  is_used: z.boolean(),
  status: z.enum(['bought', 'redeemed', 'refunded']),
  access_fee_id: z.int(),
  access_fee_description: z.string(),
  amount: z.number(),
  currency: z.string(),
});

export const GiftPage = z.object({
  total: z.int(),
  page: z.int(),
  size: z.int(),
  offset: z.int(),
  limit: z.int(),
  next_cursor: nextCursorField,
  collection: z.array(z.object({ gift_voucher: GiftVoucherResponse })),
});

/**
 * For buyer and receiver. It contains neither the price nor the code, which is only mailed. Times are Unix seconds, 0
 * for none.
 */
export const OwnGiftPage = pageOf(
  z.object({
    id: z.int(),
    item_id: z.int(),
    item_title: z.string(),
    access_fee_description: z.string(),
    receiver_email: z.string(),
    status: z.enum(['bought', 'redeemed', 'refunded']),
    deliver_on: z.int(),
    created_at: z.int(),
    redeemed_at: z.int(),
  }),
);
