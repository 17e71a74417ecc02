import { type z } from 'zod';
import { type Caller } from '../../kit/auth';
import { getItemRow } from '../service';
import { type DonationsResponse } from './schemas';

/** An item is sold and never donated to: no sums are offered, and none of the giver's choice is taken. */
export async function getDonations(caller: Caller, itemId: number): Promise<z.output<typeof DonationsResponse>> {
  const { id } = await getItemRow(caller.merchantId, itemId);
  return { donations: null, donation_options: { id, item_id: id, custom_price_enabled: false } };
}
