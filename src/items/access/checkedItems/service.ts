import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { getAccountRow } from '../../../accounts/service';
import { AppError } from '../../../kit/errors';
import { describeItemWithContent, getItemById } from '../../service';

/** An item with its content, the same for whoever may see it. */
export type CheckedItem = ReturnType<typeof describeItemWithContent>;

// Items change seldom and are read at every playback; a change drops the item from every replica's memory by NOTIFY,
// and what a lost NOTIFY leaves behind ends after a minute. Entitlements are never remembered.
// A reading is remembered from its start, so that a change that comes while it runs drops it too.
const items = new LRUCache<number, Promise<CheckedItem>>({
  max: 50_000,
  maxSize: 64_000_000,
  ttl: 60_000,
  // How often the clock is asked: by default a timer is set each millisecond.
  ttlResolution: 1_000,
});
/** What an item takes while nobody knows its content. */
const unknownSize = 2_000;
/** The bulk of an answer, which is the same for everybody, and a name for what it says. */
const itemTexts = new WeakMap<CheckedItem, { text: string; tag: string }>();
/** Never changed, so never forgotten but for want of room. */
const merchantUuids = new LRUCache<number, string>({ max: 10_000 });

/** What the check knows of an item; another merchant's is one that does not exist. */
export async function getCheckedItem(merchantId: number, itemId: number): Promise<CheckedItem> {
  const item = await (items.get(itemId) ?? rememberItem(itemId));
  if (item.merchant_id !== merchantId) throw new AppError('item_not_found');
  return item;
}

/** Drops an item from this replica's memory: some replica has changed it. */
export function forgetItem(itemId: number): void {
  items.delete(itemId);
}

export function forgetAllItems(): void {
  items.clear();
}

/** An item's JSON, and a short name for what it says that changes with it. */
export function textOf(item: CheckedItem): { text: string; tag: string } {
  return itemTexts.get(item) ?? rememberText(item);
}

function rememberText(item: CheckedItem) {
  const text = JSON.stringify(item);
  const said = { text, tag: createHash('sha256').update(text).digest('base64url').slice(0, 16) };
  itemTexts.set(item, said);
  return said;
}

function rememberItem(itemId: number): Promise<CheckedItem> {
  const reading = loadItem(itemId);
  items.set(itemId, reading, { size: unknownSize });
  const isCurrent = () => items.peek(itemId) === reading;
  reading.then(
    (item) => {
      const size = unknownSize + 2 * rememberText(item).text.length;
      if (isCurrent()) items.set(itemId, reading, { size, noUpdateTTL: true });
    },
    () => {
      if (isCurrent()) items.delete(itemId);
    },
  );
  return reading;
}

async function loadItem(itemId: number): Promise<CheckedItem> {
  const item = await getItemById(itemId);
  return describeItemWithContent({ item, merchantUuid: await getMerchantUuid(item.merchantId) });
}

async function getMerchantUuid(merchantId: number): Promise<string> {
  const known = merchantUuids.get(merchantId);
  if (known !== undefined) return known;
  const { uuid } = await getAccountRow(merchantId);
  merchantUuids.set(merchantId, uuid);
  return uuid;
}
