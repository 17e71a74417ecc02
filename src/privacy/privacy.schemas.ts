import { z } from 'zod';
import { BrandingId } from '../branding/branding.schemas';
import { formId } from '../kit/form';

export const ExportBody = z.object({ password: z.string().max(256).optional(), branding_id: BrandingId });

/** `customer_id`: the customer that a merchant erases. A consumer erases itself and may send its own id. */
export const EraseBody = z.object({
  customer_id: formId().optional(),
  password: z.string().max(256),
  branding_id: BrandingId,
});
