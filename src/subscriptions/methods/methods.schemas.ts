import { z } from 'zod';
import { formId, formText } from '../../kit/form';
import { findMethodName, type MethodName } from '../../kit/paymentMethods';

/** The id or the name of a payment method. */
export const PaymentMethod = formText({ max: 50 })
  .refine((text) => findMethodName(text) !== undefined, 'must be a payment method, such as 1 (Card)')
  .transform((text): MethodName => findMethodName(text) ?? 'card');

/** With an item, a fee or a currency: only the methods that can pay for it. */
export const MethodQuery = z.object({
  item_id: formId().optional(),
  access_fee_id: formId().optional(),
  currency: formText({ min: 3, max: 3 })
    .transform((code) => code.toUpperCase())
    .optional(),
});

export const PaymentMethods = z.array(z.object({ id: z.int(), method_name: z.string(), is_external: z.boolean() }));
