import { createHash } from 'node:crypto';
import { getMerchantUuid } from '../accounts/merchants/merchantUuids';
import { apart, openTransaction } from '../adapters/postgres/requestWork';
import { AppError } from '../kit/errors';
import { InvalidatingCache } from '../kit/invalidatingCache';
import { describeItemWithContent, getItemById } from '../items/items';

/** An item with its content, which is the same for every viewer. */
export type ItemWithContent = ReturnType<typeof describeItemWithContent>;

export interface CheckedItem {
  item: ItemWithContent;
  /** The item as JSON, the largest part of every response. */
  text: string;
  /** The length of the text in UTF-8. */
  bytes: number;
  /** A hash of the text, for the ETag. */
  tag: string;
}

/** The estimated size of an item without its content. */
const sizeBesides = 2_000;
/** Only items are cached, never entitlements. */
const items = new InvalidatingCache((itemId) => apart(() => loadItem(itemId)), {
  max: 64_000_000,
  size: { of: ({ text }) => sizeBesides + 2 * text.length, ofUnread: sizeBesides },
});

/** The cached item for the access check. An item of another merchant is not found. */
export function getCheckedItem(merchantId: number, itemId: number): CheckedItem | Promise<CheckedItem> {
  // Uncommitted changes of this request must not enter the cache.
  const found = openTransaction() ? loadItem(itemId) : items.get(itemId);
  if (found instanceof Promise) return found.then((read) => ownedBy(merchantId, read));
  return ownedBy(merchantId, found);
}

function ownedBy(merchantId: number, checked: CheckedItem): CheckedItem {
  if (checked.item.merchant_id !== merchantId) throw new AppError('item_not_found');
  return checked;
}

/** Removes an item from this replica's cache after any replica has changed it. */
export function forgetItem(itemId: number): void {
  items.forget(itemId);
}

export function forgetAllItems(): void {
  items.forgetAll();
}

async function loadItem(itemId: number): Promise<CheckedItem> {
  const row = await getItemById(itemId);
  const item = describeItemWithContent({ item: row, merchantUuid: await getMerchantUuid(row.merchantId) });
  const text = JSON.stringify(item);
  const tag = createHash('sha256').update(text).digest('base64url').slice(0, 16);
  return { item, text, bytes: Buffer.byteLength(text), tag };
}
