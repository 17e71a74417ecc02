import { z } from 'zod';
import { formId, formMetadata, formPastDate, formText } from '../../kit/form';

/** `metadata` replaces the old one as a whole (wire A.1); what is not sent stays. `id`: a merchant's customer. */
export const AccountChange = z.object({
  id: formId().optional(),
  full_name: z.string().min(1).max(250),
  referrer: formText({ max: 2000 }).optional(),
  date_of_birth: formPastDate().optional(),
  metadata: formMetadata().optional(),
});
