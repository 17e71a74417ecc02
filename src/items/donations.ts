import { type z } from 'zod';
import { type Caller } from '../kit/auth';
import { getItemRow } from './items';
import { type DonationsResponse } from './donations.schemas';

/** Items accept no donations, so there are no amounts to choose from and no custom price. */
export async function getDonations(caller: Caller, itemId: number): Promise<z.output<typeof DonationsResponse>> {
  const { id } = await getItemRow(caller.merchantId, itemId);
  return { donations: null, donation_options: { id, item_id: id, custom_price_enabled: false } };
}
