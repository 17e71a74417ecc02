import { statement } from '../adapters/postgres/statement';

const feeIdsStatement = statement<{ id: number }>(
  'discount_fee_ids',
  'SELECT id FROM access_fees WHERE merchant_id = $1 AND item_id = $2 AND retired_at IS NULL ORDER BY id LIMIT 50',
);

/** The ids of an item's fees in the order of creation, on sale or not. */
export async function listFeeIds(merchantId: number, itemId: number): Promise<number[]> {
  return (await feeIdsStatement([merchantId, itemId])).map(({ id }) => id);
}
