import { z } from 'zod';
import { formId, formText } from '../kit/form';
import { CursorQuery } from '../kit/page';
import { sortFields } from '../kit/sorting';

/** `object_type` and `object_id`: the entries about one object, such as an item. */
export const AuditQuery = z.object({
  ...CursorQuery.shape,
  action: formText({ max: 100 }).optional(),
  object_type: formText({ max: 100 }).optional(),
  object_id: formText({ max: 100 }).optional(),
  actor_account_id: formId().optional(),
  ...sortFields(['created']),
});

/**
 * `actor_name`: the account whose token was used; customers by their address, staff by name and address. `acted_by`: the
 * account that acted as this one. The names are those at the time of the request, and null if the account is deleted. `hash`
 * covers `previous_hash` and every other field except the names. The operator can verify it with the key of the installation.
 */
export const AuditRecord = z.object({
  id: z.int(),
  actor_account_id: z.int(),
  actor_name: z.string().nullable(),
  acted_by: z.uuid().nullable(),
  acted_by_name: z.string().nullable(),
  action: z.string(),
  object_type: z.string(),
  object_id: z.string(),
  request_id: z.string().nullable(),
  address: z.string().nullable(),
  created_at: z.int(),
  previous_hash: z.string(),
  hash: z.string(),
});
