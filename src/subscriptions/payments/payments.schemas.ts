import { z } from 'zod';
import { formBool, formDate, formEmail } from '../../kit/form';
import { SubscribeBody } from '../subscriptions.schemas';

/** A one-time purchase. Without a card, the default card pays. */
export const PaymentBody = SubscribeBody.extend({
  /** A gift voucher for `receiver_email` instead of access for the buyer. */
  is_gift: formBool().optional(),
  receiver_email: formEmail().optional(),
  /** The day on which a gift is mailed, within a year. Absent: after the payment. */
  deliver_on: formDate().optional(),
});
export type PaymentInput = z.output<typeof PaymentBody>;

/** `transaction` is the id of the purchase in its events and in the histories. */
export const SubmittedPayment = z.object({
  code: z.literal(200),
  message: z.string(),
  explain: z.string(),
  transaction: z.string(),
  status: z.string(),
});
