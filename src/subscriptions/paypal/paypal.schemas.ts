import { z } from 'zod';
import { BrandingId } from '../../branding/branding.schemas';
import { formId, formText } from '../../kit/form';
import { webAddress } from '../cards.schemas';
import { PaymentMethod } from '../methods/methods.schemas';

/** `origin`: the page of the shop, to which PayPal returns the payer. */
export const ExternalPaymentBody = z.object({
  origin: webAddress,
  access_fee: formId(),
  payment_method: PaymentMethod.optional(),
  voucher_code: formText({ max: 100 }).optional(),
  branding_id: BrandingId,
});
export type ExternalPaymentInput = z.output<typeof ExternalPaymentBody>;

/**
 * `endpoint`: the address to which the shop sends the browser. The other fields are for older clients, which send them
 * along. `id`: the account has access already, and nothing is to pay.
 */
export const ExternalPaymentResponse = z.union([
  z.object({
    endpoint: z.url(),
    business: z.string(),
    item_name: z.string(),
    currency_code: z.string(),
    return: z.url(),
    cancel_return: z.url(),
  }),
  z.object({ id: z.int() }),
]);
