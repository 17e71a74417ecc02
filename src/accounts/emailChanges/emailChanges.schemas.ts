import { z } from 'zod';
import { BrandingId } from '../../branding/branding.schemas';
import { formEmail } from '../../kit/form';

/** `password`: not needed within ten minutes after a sign-in or a proof of the second factor. */
export const EmailChangeBody = z.object({
  email: formEmail(),
  password: z.string().max(256).optional(),
  branding_id: BrandingId,
});

export const EmailChangePath = z.object({ token: z.string().min(1).max(200) });

/** `password`: not needed in an app or a browser in which the account has signed in. */
export const ConfirmEmailBody = z.object({ password: z.string().max(256).optional() });

/** The change that waits for its confirmation, or null. Times are Unix time. */
export const EmailChangeResponse = z.object({
  email: z.string(),
  pending: z.object({ email: z.string(), expires_at: z.int() }).nullable(),
});

export const EmailResponse = z.object({ email: z.string() });
