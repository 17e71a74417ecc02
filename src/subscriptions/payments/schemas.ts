import { z } from 'zod';
import { formBool, formDate, formEmail } from '../../kit/form';
import { SubscribeBody } from '../schemas';

/** A one-time purchase (wire E.1), or only `pi_id` to go on after an authentication. Without a card, the default one pays. */
export const PaymentBody = SubscribeBody.extend({
  /** A gift voucher for `receiver_email` instead of access for the buyer. */
  is_gift: formBool().optional(),
  receiver_email: formEmail().optional(),
  /** The day on which a gift is mailed, within a year; absent: as soon as it is paid. */
  deliver_on: formDate().optional(),
});
export type PaymentInput = z.output<typeof PaymentBody>;

/** `transaction` names the purchase in its events and in the histories. */
export const SubmittedPayment = z.object({
  code: z.literal(200),
  message: z.string(),
  explain: z.string(),
  transaction: z.string(),
  status: z.string(),
});
