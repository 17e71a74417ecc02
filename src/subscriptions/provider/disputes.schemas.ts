import { z } from 'zod';
import { formId, formText } from '../../kit/form';
import { cursorPageOf, CursorQuery } from '../../kit/page';

export const DisputesQuery = CursorQuery;
export const DisputePath = z.object({ id: formId() });

/** `statement`: the merchant's own words to the bank of the customer. */
export const EvidenceBody = z.object({ statement: formText({ max: 20_000 }) });

/** Amounts are in the major unit. Times are in Unix seconds, and 0 for an unknown time. */
const disputeShape = {
  id: z.int(),
  /** The provider's id of the dispute. */
  reference: z.string(),
  /** The transaction, and its subscription or payment. */
  transaction: z.string(),
  purchase: z.string(),
  customer_id: z.int(),
  /** The reason in the vocabulary of the bank, such as `fraudulent`. */
  reason: z.string(),
  /** `needs_response`: evidence can be submitted until `due_at`. `under_review`: the bank decides. */
  status: z.enum(['needs_response', 'under_review', 'won', 'lost']),
  amount: z.number(),
  currency: z.string(),
  /** The provider's fee for the dispute, in `fee_currency`. */
  fee: z.number(),
  fee_currency: z.string(),
  opened_at: z.int(),
  due_at: z.int(),
  evidence_sent_at: z.int(),
} as const;

export const DisputeResponse = z.object(disputeShape);
export const DisputePage = cursorPageOf(DisputeResponse);

/** The evidence that is submitted together with the merchant's statement. */
export const Evidence = z.object({
  customer_name: z.string(),
  customer_email: z.string(),
  /** The IP address of the purchase. */
  customer_address: z.string(),
  product: z.string(),
  /** The day of the payment, ISO 8601. */
  paid_on: z.string(),
  /** The device of the purchase, such as `iPhone (iOS, mobile)`. Empty if it is unknown. */
  purchase_device: z.string(),
  /** The purchase, the access, and one line for each sign-in with its device and place, newest first. */
  access_log: z.string(),
  /** The path of the receipt or the invoice of the payment, which is submitted as a file. Empty if there is none. */
  receipt: z.string(),
});

export const DisputeDetailResponse = z.object({ ...disputeShape, evidence: Evidence });
