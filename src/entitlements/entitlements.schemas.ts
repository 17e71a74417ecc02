import { z } from 'zod';
import { ItemWithContent } from '../items/items.schemas';
import { AccessExplanation } from './explanations.schemas';

/**
 * The entitlement and its item. Times are Unix seconds. `grace`: the subscription could not be renewed yet, and access
 * continues.
 */
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
  grace: z.literal(true).optional(),
  item: ItemWithContent,
});

export const CheckResponse = z.union([AccessResponse, AccessExplanation]);

/** The resource of `access.granted`, with the packages that contain the item. */
export const GrantedAccess = AccessResponse.extend({ package_collection: z.array(z.int()) });
