import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { getAccountRow } from '../../../accounts/service';
import { AppError } from '../../../kit/errors';
import { Remembered } from '../../../kit/remembered';
import { describeItemWithContent, getItemById } from '../../service';

/** An item with its content, the same for whoever may see it. */
export type ItemWithContent = ReturnType<typeof describeItemWithContent>;

export interface CheckedItem {
  item: ItemWithContent;
  /** Its JSON: the bulk of an answer, which is the same for everybody. */
  text: string;
  /** Of the text in UTF-8. */
  bytes: number;
  /** A short name for what the text says, which changes with it. */
  tag: string;
}

/** What an item takes while nobody knows its content, and besides it. */
const sizeBesides = 2_000;
/** Entitlements are never remembered. */
const items = new Remembered(loadItem, {
  max: 50_000,
  size: { max: 64_000_000, of: ({ text }) => sizeBesides + 2 * text.length, ofUnread: sizeBesides },
});
/** Never changed, so never forgotten but for want of room. */
const merchantUuids = new LRUCache<number, string>({ max: 10_000 });

/** What the check knows of an item; another merchant's is one that does not exist. */
export function getCheckedItem(merchantId: number, itemId: number): CheckedItem | Promise<CheckedItem> {
  const found = items.get(itemId);
  if (found instanceof Promise) return found.then((read) => ownedBy(merchantId, read));
  return ownedBy(merchantId, found);
}

function ownedBy(merchantId: number, checked: CheckedItem): CheckedItem {
  if (checked.item.merchant_id !== merchantId) throw new AppError('item_not_found');
  return checked;
}

/** Drops an item from this replica's memory: some replica has changed it. */
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

async function getMerchantUuid(merchantId: number): Promise<string> {
  const known = merchantUuids.get(merchantId);
  if (known !== undefined) return known;
  const { uuid } = await getAccountRow(merchantId);
  merchantUuids.set(merchantId, uuid);
  return uuid;
}
