import { z } from 'zod';
import { formId, formText } from '../kit/form';
import { PageQuery } from '../kit/page';

/** One entry to write. Ids and nothing personal: an entry outlives the account it tells of. */
export interface AuditEntry {
  /** Whose log. */
  merchantId: number;
  /** The account whose token was used; it belongs to the merchant. */
  actorAccountId: number;
  /** The uuid of the account that really acted, when it acted as the actor (impersonation). */
  actedBy?: string | undefined;
  /** `object.verb`, for example `impersonation.start`. */
  action: `${string}.${string}`;
  objectType: string;
  objectId: number | string;
  requestId?: string | undefined;
  /** An IP address; its network is kept, not the host. */
  address?: string | undefined;
}

export const AuditQuery = z.object({
  ...PageQuery.shape,
  action: formText({ max: 100 }).optional(),
  actor_account_id: formId().optional(),
});

/** `hash` covers `previous_hash` and every other field, so that a copy of the log proves that nothing was changed. */
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
