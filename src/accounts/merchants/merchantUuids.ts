import { LRUCache } from 'lru-cache';
import { getAccountRow } from '../accounts';

/** The uuids never change, so entries only leave when the cache is full. */
const uuids = new LRUCache<number, string>({ max: 10_000 });

/** The uuid of a merchant that exists. */
export async function getMerchantUuid(merchantId: number): Promise<string> {
  const known = uuids.get(merchantId);
  if (known !== undefined) return known;
  const { uuid } = await getAccountRow(merchantId);
  uuids.set(merchantId, uuid);
  return uuid;
}
