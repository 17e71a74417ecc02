import { z } from 'zod';

/** `id` and `item_id` are the item's. */
export const DonationsResponse = z.object({
  donations: z.null(),
  donation_options: z.object({ id: z.int(), item_id: z.int(), custom_price_enabled: z.literal(false) }),
});
