import { z } from 'zod';
import { formId, formMetadata, formPastDate, formText } from '../kit/form';

/** `metadata` replaces all previous metadata. Absent fields do not change. `id` is the id of a merchant's customer. */
export const AccountChange = z.object({
  id: formId().optional(),
  full_name: z.string().min(1).max(250),
  referrer: formText({ max: 2000 }).optional(),
  date_of_birth: formPastDate().optional(),
  metadata: formMetadata().optional(),
});
