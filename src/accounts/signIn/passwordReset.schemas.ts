import { z } from 'zod';
import { BrandingId } from '../../branding/branding.schemas';
import { formEmail, formText } from '../../kit/form';
import { Password } from '../accounts.schemas';

/** `merchant_uuid` is the client id of the app. */
export const ResetRequest = z.object({
  merchant_uuid: formText({ max: 100 }),
  email: formEmail(),
  branding_id: BrandingId,
});

export const ResetPath = z.object({ token: z.string().min(1).max(200) });

export const NewPassword = z.object({
  password: Password,
  password_confirmation: z.string().max(256),
  branding_id: BrandingId,
});
