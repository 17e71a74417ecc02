import { LRUCache } from 'lru-cache';
import { getAccountRow } from '../accounts';
import { manyEntries } from '../../kit/manyEntries';

/** The uuids never change, so an entry leaves the cache only when the cache is full. */
const uuids = new LRUCache<number, string>(manyEntries(10_000));

/** The uuid of an existing merchant. */
export async function getMerchantUuid(merchantId: number): Promise<string> {
  const known = uuids.get(merchantId);
  if (known !== undefined) return known;
  const { uuid } = await getAccountRow(merchantId);
  uuids.set(merchantId, uuid);
  return uuid;
}
