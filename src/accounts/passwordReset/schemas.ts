import { z } from 'zod';
import { formEmail, formText } from '../../kit/form';
import { Password } from '../schemas';

/** `branding_id` may be the text `undefined` (wire 0.9): anything but the id of a theme means the default one. */
const brandingId = z.unknown().optional();

/** `merchant_uuid` holds whatever client id the app has (wire D.1). */
export const ResetRequest = z.object({
  merchant_uuid: formText({ max: 100 }),
  email: formEmail(),
  branding_id: brandingId,
});

export const ResetPath = z.object({ token: z.string().min(1).max(200) });

export const NewPassword = z.object({
  password: Password,
  password_confirmation: z.string().max(256),
  branding_id: brandingId,
});
