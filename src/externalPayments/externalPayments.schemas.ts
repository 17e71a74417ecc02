import { z } from 'zod';
import { formId, formText } from '../kit/form';

/** Older apps call Google Play `android`. */
export const PlatformPath = z.object({ platform: z.enum(['apple', 'google-play', 'android', 'amazon', 'roku']) });

/**
 * `receipt`: Apple's signed transaction, transaction id or old receipt; Google's purchase object or token; Amazon's
 * receipt id; Roku's transaction id. The product is named by `access_fee_id` or by the store's `product_name`.
 */
export const ClaimBody = z.object({
  receipt: formText({ max: 95_000 }),
  item_id: formId().optional(),
  access_fee_id: formId().optional(),
  product_name: formText({ max: 250 }).optional(),
  amazon_user_id: formText({ max: 500 }).optional(),
  package_name: formText({ max: 250 }).optional(),
  branding_id: formText({ max: 50 }).optional(),
});

export const ClaimResponse = z.object({
  code: z.literal(202),
  message: z.string(),
  explain: z.string(),
  external_payment_id: z.string(),
});
