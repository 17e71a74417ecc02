import { z } from 'zod';
import { formId } from '../../kit/form';
import { cursorPageOf, CursorQuery } from '../../kit/page';

export const UnmatchedQuery = CursorQuery;
export const UnmatchedPath = z.object({ id: formId() });

/** Amounts are in the major unit, times in Unix seconds. */
export const UnmatchedPaymentResponse = z.object({
  id: z.int(),
  /** The provider's id of the payment. */
  reference: z.string(),
  /** The token of the purchase that was lost. */
  purchase: z.string(),
  /** 0 if the customer was lost too. */
  customer_id: z.int(),
  amount: z.number(),
  currency: z.string(),
  status: z.enum(['open', 'refunding', 'refunded', 'failed']),
  /** The reason why the provider refused the refund. Empty if it did not. */
  failure: z.string(),
  paid_at: z.int(),
  found_at: z.int(),
  refunded_at: z.int(),
});

export const UnmatchedPage = cursorPageOf(UnmatchedPaymentResponse);
