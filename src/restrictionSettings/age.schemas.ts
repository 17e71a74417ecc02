import { z } from 'zod';
import { formInt } from '../kit/form';

export { ItemPath } from '../restrictions/restrictions.schemas';

/** In full years. */
export const MinAgeBody = z.object({ min_age: formInt().pipe(z.int().min(1).max(150)) });

/** Times are Unix seconds. */
export const GlobalAgeResponse = z.object({
  min_age: z.int(),
  merchant_uuid: z.uuid(),
  created_at: z.int(),
  updated_at: z.int(),
});

export const ItemAgeResponse = z.object({
  min_age: z.int(),
  item_id: z.int(),
  merchant_id: z.int(),
  created_at: z.int(),
  updated_at: z.int(),
});
