import { z } from 'zod';
import { formId, formText } from '../kit/form';
import { CursorQuery } from '../kit/page';
import { sortFields } from '../kit/sorting';

export const AuditQuery = z.object({
  ...CursorQuery.shape,
  action: formText({ max: 100 }).optional(),
  actor_account_id: formId().optional(),
  ...sortFields(['created']),
});

/** `hash` covers `previous_hash` and every other field. The operator can verify it with the key of the installation. */
export const AuditRecord = z.object({
  id: z.int(),
  actor_account_id: z.int(),
  acted_by: z.uuid().nullable(),
  action: z.string(),
  object_type: z.string(),
  object_id: z.string(),
  request_id: z.string().nullable(),
  address: z.string().nullable(),
  created_at: z.int(),
  previous_hash: z.string(),
  hash: z.string(),
});
