import { z } from 'zod';
import { BrandingId } from '../branding/branding.schemas';
import { formId } from '../kit/form';
import { Message } from '../kit/page';

export const ExportBody = z.object({ password: z.string().max(256).optional(), branding_id: BrandingId });

/** `confirmation_mailed`: the export starts when the owner opens the link in the mail. */
export const ExportReply = Message.extend({ state: z.enum(['started', 'confirmation_mailed']) });

export const ExportPath = z.object({ token: z.string().min(1).max(200) });

/**
 * `customer_id`: the customer that a merchant erases. A consumer erases itself and may send its own id. `password` is required,
 * except for an account without a password in a session of the last ten minutes.
 */
export const EraseBody = z.object({
  customer_id: formId().optional(),
  password: z.string().max(256).optional(),
  branding_id: BrandingId,
});
