import { z } from 'zod';
import { formBool, formText } from '../kit/form';

const AgeVerificationType = z.enum(['basic', 'pin_code']);

/** `basic` checks the date of birth; `pin_code` also requires a mailed pin. */
export const RestrictionSettingsBody = z.object({
  age_verification_enabled: formBool(),
  age_verification_type: AgeVerificationType,
  merchant_uuid: formText({ max: 100 }),
});

/** The merchant's uuid, or the id of one of its OAuth apps. */
export const MerchantPath = z.object({ merchant_uuid: formText({ max: 100 }) });

/** Times are Unix seconds. */
export const RestrictionSettingsResponse = z.object({
  age_verification_type: AgeVerificationType,
  age_verification_enabled: z.boolean(),
  merchant_uuid: z.uuid(),
  created_at: z.int(),
  updated_at: z.int(),
});
