import { z } from 'zod';
import { formId } from '../../kit/form';
import { PageQuery, pageOf } from '../../kit/page';

export const SessionQuery = PageQuery;
export const SessionPath = z.object({ session_id: z.uuid() });
export const CustomerPath = z.object({ id: formId() });
export const CustomerSessionPath = CustomerPath.extend(SessionPath.shape);

/** Times are Unix time. `last_used_at` can be up to ten minutes old. Unknown texts are empty. */
export const SessionResponse = z.object({
  id: z.uuid(),
  client_id: z.string(),
  device: z.object({ type: z.string(), os: z.string(), model: z.string() }),
  place: z.object({ country: z.string(), city: z.string() }),
  /** Whether it is the session of this request. */
  is_current: z.boolean(),
  /** Whether another account acts as this one in the session (impersonation). */
  is_acted: z.boolean(),
  created_at: z.int(),
  last_used_at: z.int(),
  expires_at: z.int(),
});

export const SessionPage = pageOf(SessionResponse);
