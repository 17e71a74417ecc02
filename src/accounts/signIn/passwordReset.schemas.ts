import { z } from 'zod';
import { BrandingId } from '../../branding/branding.schemas';
import { formEmail, formPlainErrors, formText } from '../../kit/form';
import { Password } from '../accounts.schemas';

/** `merchant_uuid` is the client id of the app. */
export const ResetRequest = z.object({
  merchant_uuid: formText({ max: 100 }),
  email: formEmail('invalid param email'),
  branding_id: BrandingId,
});

export const ResetPath = z.object({ token: z.string().min(1).max(200) });

export const NewPassword = formPlainErrors(
  z
    .object({ password: Password, password_confirmation: z.string().max(256), branding_id: BrandingId })
    .refine((input) => input.password === input.password_confirmation, {
      path: ['password_confirmation'],
      error: 'does not match the password',
    }),
);
