import { z } from 'zod';
import { ItemWithContent } from '../schemas';

/** The entitlement and what it unlocks (wire B.3). Times are Unix seconds. */
export const AccessResponse = z.object({
  id: z.int(),
  account_id: z.int(),
  customer_id: z.int(),
  customer_uuid: z.uuid(),
  ip_address: z.string(),
  country_code: z.string(),
  created_at: z.int(),
  starts_at: z.int(),
  expires_at: z.int(),
  item: ItemWithContent,
});
