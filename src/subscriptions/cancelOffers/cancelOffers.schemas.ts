import { z } from 'zod';
import { formId, formInt } from '../../kit/form';
import { Message, pageOf } from '../../kit/page';

const Reason = z.enum(['too_expensive', 'too_little_use', 'missing_content', 'technical_problems', 'other']);
const Kind = z.enum(['pause', 'plan', 'discount']);

/**
 * Without `item_id` the offer is for every item, without `reason` for every reason. A pause needs `pause_months`, a plan
 * the `item_id` and a cheaper fee of the item, a discount its `percent` and the number of `charges`.
 */
export const CancelOfferBody = z.object({
  kind: Kind,
  item_id: formId().optional(),
  reason: Reason.optional(),
  pause_months: formInt().pipe(z.int().min(1).max(12)).optional(),
  access_fee_id: formId().optional(),
  percent: formInt().pipe(z.int().min(1).max(100)).optional(),
  charges: formInt().pipe(z.int().min(1).max(12)).optional(),
});

export const CancelOfferPath = z.object({ id: formId() });
export const CreatedCancelOffer = Message.extend({ id: z.int() });

const terms = {
  kind: Kind,
  pause_months: z.int().nullable(),
  access_fee_id: z.int().nullable(),
  percent: z.int().nullable(),
  charges: z.int().nullable(),
};

/** An offer with its figures: how many customers saw it, and how many of them accepted it. `share` is in percent. */
const CancelOfferResponse = z.object({
  id: z.int(),
  ...terms,
  item_id: z.int().nullable(),
  item_title: z.string().nullable(),
  access_fee_description: z.string().nullable(),
  reason: Reason.nullable(),
  shown: z.int(),
  accepted: z.int(),
  refused: z.int(),
  share: z.number().nullable(),
  created_at: z.int(),
  ended_at: z.int(),
});
export const CancelOfferList = pageOf(CancelOfferResponse);

export const SubscriptionOfferPath = z.object({ id: z.string().max(64) });
export const OfferRequest = z.object({ reason: Reason.optional() });
export const OfferChoice = z.object({ offer_id: formId() });

/**
 * The offer to a customer who is about to cancel. `amount` is the price of the next charge with it, in the major unit; after a
 * pause for a pause. `effective_at` is when the change begins, and `resumes_at` the end of a pause.
 */
export const ShownOffer = z.object({
  offer_id: z.int(),
  ...terms,
  reason: Reason.nullable(),
  access_fee_description: z.string().nullable(),
  amount: z.number(),
  currency: z.string(),
  effective_at: z.int(),
  resumes_at: z.int(),
});
