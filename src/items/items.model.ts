import { type Attributes } from 'sequelize';
import { boolean, defaulted, integer, modelOf, nullable, serial, text, time } from '../adapters/postgres/columns';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { nameOrder } from '../adapters/postgres/nameOrder';
import { query, statement } from '../adapters/postgres/statement';
import { totalOf } from '../adapters/postgres/totals';
import { keepImages } from '../images/images.model';

export class Item extends modelOf({
  id: serial(),
  merchantId: integer(),
  isActive: defaulted(boolean()),
  title: text(),
  itemType: text(),
  accessControlType: defaulted(text()),
  content: defaulted(text()),
  templateId: nullable(integer()),
  externalId: nullable(text()),
  eventType: nullable(text()),
  planSwitchEnabled: defaulted(boolean()),
  /** Whether consumers may pay the difference of a plan change with the next invoice. */
  nextInvoiceEnabled: defaulted(boolean()),
  isGiftable: defaulted(boolean()),
  giftDescription: nullable(text()),
  createdAt: defaulted(time()),
  updatedAt: defaulted(time()),
}) {}
Item.init(Item.columns, { sequelize, tableName: 'items' });

/**
 * The card of an item: its metadata and its minimum age (its own, or else the merchant's), without its content.
 */
export interface CardRow extends Omit<Attributes<Item>, 'content'> {
  metadata: { id: number; name: string; value: string }[];
  minAge: number | null;
}

/** The card of an item for its merchant, with the content. */
export interface ItemRow extends CardRow {
  content: string;
}

const cardColumns = `${Item.selectList('i', { without: ['content'] })},
  (SELECT coalesce(json_agg(json_build_object('id', m.id, 'name', m.name, 'value', m.value) ORDER BY m.id), '[]')
   FROM item_metadata m WHERE m.item_id = i.id) AS metadata,
  coalesce(
    (SELECT a.min_age FROM age_restrictions a WHERE a.merchant_id = i.merchant_id AND a.item_id = i.id),
    (SELECT a.min_age FROM age_restrictions a WHERE a.merchant_id = i.merchant_id AND a.item_id IS NULL)) AS "minAge"`;

const readStatement = statement<ItemRow>('item_read', `SELECT ${cardColumns}, i.content FROM items i WHERE i.id = $1`);

export async function findItem(id: number, inTransaction?: Transaction): Promise<ItemRow | undefined> {
  const [item] = await readStatement([id], inTransaction);
  return item;
}

const cardsStatement = statement<CardRow>(
  'item_cards',
  `SELECT ${cardColumns} FROM items i WHERE i.id = ANY ($1::int[])`,
);

export const findCards = (ids: readonly number[]): Promise<CardRow[]> => cardsStatement([ids]);

const externalStatement = statement<CardRow>(
  'item_external',
  `SELECT ${cardColumns} FROM items i
   WHERE i.merchant_id = $1 AND i.external_id = $2 AND i.item_type = $3 AND i.is_active ORDER BY i.id DESC LIMIT 1`,
);

/** The newest item on sale with this id of the merchant's platform. */
export async function findExternalItem(merchantId: number, itemType: string, externalId: string) {
  const [item] = await externalStatement([merchantId, externalId, itemType]);
  return item;
}

/** The largest id that a row can have. */
export const largestId = 2_147_483_647;

/** Items of a merchant that match all conditions. */
export interface ItemFilter {
  merchantId: number;
  /** The lowest and the highest id. The range uses the index. */
  ids: readonly [number, number];
  /** Patterns of ILIKE. */
  titles: readonly string[];
  externalIds: readonly string[];
  itemType?: string | undefined;
  isActive?: boolean | undefined;
  /** Only items of this package. */
  packageId?: number | undefined;
  /** Only items with a subscription on sale now, in any country. */
  isPlan?: true;
}

/** The orders of lists. Each has an index. Ids rise with the time of creation. */
const itemOrders = { id: 'i.id', title: nameOrder('i.title'), updated_at: 'i.updated_at' } as const;
export type ItemOrder = keyof typeof itemOrders;

const filterText = `i.merchant_id = $1 AND i.id BETWEEN $2 AND $3 AND i.external_id = ALL ($4::text[])
  AND ($5::boolean IS NULL OR i.is_active = $5)`;

const typeText = '($6::text IS NULL OR i.item_type = $6)';
const ownParameters = 6;

const present = '(SELECT merchant_now($1))';
const planText = `EXISTS (SELECT FROM access_fees f JOIN access_types t ON t.id = f.access_type_id
  WHERE f.item_id = i.id AND f.retired_at IS NULL AND t.name = 'subscription'
    AND (f.starts_at IS NULL OR f.starts_at <= ${present}) AND (f.expires_at IS NULL OR f.expires_at > ${present}))`;

/**
 * The tables whose index gives the order of the rows. Of items it is the view of `290-fence.sql`, because behind a policy
 * PostgreSQL uses neither the index of the alphabet nor that of the parts of titles.
 */
const sources = {
  items: { from: 'unfenced.items i', where: `${filterText} AND ${typeText}` },
  packages: { from: 'unfenced.items i', where: `${filterText} AND ${typeText} AND i.item_type = 'package'` },
  plans: { from: 'unfenced.items i', where: `${filterText} AND ${typeText} AND ${planText}` },
  members: {
    from: 'package_items p JOIN unfenced.items i ON i.id = p.item_id',
    where: `${filterText} AND p.package_id = $6::int`,
  },
};

export interface PageOrder {
  by: ItemOrder;
  isDescending: boolean;
  /** Continues after the row with this id, and with this value unless the order is by id. */
  after?: { id: number; value?: string } | undefined;
}
const newestFirst: PageOrder = { by: 'id', isDescending: true };

/**
 * The SQL condition and its values. Each pattern is a separate condition, so that PostgreSQL uses the index of titles.
 */
function filtered(filter: ItemFilter) {
  const { from, where } = sources[sourceOf(filter)];
  const titles = filter.titles.map((_pattern, index) => `AND i.title ILIKE $${ownParameters + index + 1}`);
  const { isActive = null, itemType = null, packageId = null } = filter;
  const own = [filter.merchantId, ...filter.ids, filter.externalIds, isActive, packageId ?? itemType];
  return { from, where: [where, ...titles].join(' '), values: [...own, ...filter.titles] };
}

/** A row of a list with its value of the order, as a text. */
export interface ListedCard extends CardRow {
  sortedValue: string;
}

/** Selects the ids of the page first, so that skipped rows are not joined. */
function pageText({ from, where, values }: ReturnType<typeof filtered>, { by, isDescending, after }: PageOrder) {
  const [direction, follows] = isDescending ? ['DESC', '<'] : ['ASC', '>'];
  const order = [...new Set([itemOrders[by], 'i.id'])].map((column) => `${column} ${direction}`).join(', ');
  const next = values.length + 1;
  const range = `LIMIT $${next} OFFSET $${next + 1}`;
  const isAfter = `AND (${itemOrders[by]}, i.id) ${follows} ($${next + 2}, $${next + 3}::bigint)`;
  const text = `SELECT ${cardColumns}, ${itemOrders[by]}::text AS "sortedValue"
    FROM (SELECT i.id FROM ${from} WHERE ${where} ${after?.value === undefined ? '' : isAfter} ORDER BY ${order} ${range})
      AS page JOIN items i USING (id) ORDER BY ${order}`;
  return { text, place: after?.value === undefined ? [] : [after.value, after.id] };
}

function sourceOf({ itemType, packageId, isPlan }: ItemFilter): keyof typeof sources {
  if (packageId !== undefined) return 'members';
  if (isPlan) return 'plans';
  return itemType === 'package' ? 'packages' : 'items';
}

/** Newest first by default. */
export function findItems(
  filter: ItemFilter,
  { limit, offset }: { limit: number; offset: number },
  order: PageOrder = newestFirst,
): Promise<ListedCard[]> {
  const rowsOf = filtered(order.by === 'id' && order.after ? following(filter, order.after.id, order) : filter);
  const { text, place } = pageText(rowsOf, order);
  return query<ListedCard>(text, [...rowsOf.values, limit, offset, ...place]);
}

/** Narrows a filter to items that were created before or after another item. */
function following({ ids: [from, to], ...filter }: ItemFilter, id: number, { isDescending }: PageOrder): ItemFilter {
  if (isDescending) return { ...filter, ids: [from, Math.max(0, Math.min(to, id - 1))] };
  return { ...filter, ids: [Math.min(largestId, Math.max(from, id + 1)), id < to ? to : 0] };
}

/** A page of items and the total of all pages. `order.after` limits the page, but not the total. */
export async function findItemPage(
  filter: ItemFilter,
  { limit, offset }: { limit: number; offset: number },
  order: PageOrder = newestFirst,
): Promise<{ rows: ListedCard[]; total: number }> {
  const { from, where, values } = filtered(filter);
  const isAfterRow = order.after !== undefined;
  const rows = await findItems(filter, { limit, offset }, order);
  const found = rows.length;
  const total = await totalOf(`items ${JSON.stringify(filter)}`, { limit, offset, found, isAfterRow }, async () => {
    const [count] = await query<{ total: number }>(`SELECT count(*)::int AS total FROM ${from} WHERE ${where}`, values);
    return count?.total ?? 0;
  });
  return { rows, total };
}

const keepStatement = statement(
  'item_metadata_keep',
  'DELETE FROM item_metadata WHERE item_id = $1 AND name <> ALL ($2::text[])',
);
const dropStatement = statement(
  'item_metadata_drop',
  'DELETE FROM item_metadata WHERE item_id = $1 AND name = ANY ($2)',
);
const writeStatement = statement(
  'item_metadata_write',
  `INSERT INTO item_metadata AS m (merchant_id, item_id, name, value)
   SELECT $1, $2, name, value FROM unnest($3::text[], $4::text[]) AS sent (name, value)
   ON CONFLICT (item_id, name) DO UPDATE SET value = excluded.value WHERE m.value <> excluded.value`,
);

const countStatement = statement<{ names: number }>(
  'item_metadata_count',
  'SELECT count(*)::int AS names FROM item_metadata WHERE item_id = $1',
);

/** The number of names in an item's metadata. */
export async function countMetadata(inTransaction: Transaction, itemId: number): Promise<number> {
  const [counted] = await countStatement([itemId], inTransaction);
  return counted?.names ?? 0;
}

/** Writes the values and deletes empty ones. `isWhole`: also deletes all other names. */
export async function writeMetadata(
  inTransaction: Transaction,
  item: { id: number; merchantId: number },
  metadata: Record<string, string>,
  { isWhole }: { isWhole: boolean },
): Promise<void> {
  const held = Object.entries(metadata).filter(([, value]) => value !== '');
  const names = held.map(([name]) => name);
  const emptied = Object.keys(metadata).filter((name) => metadata[name] === '');
  if (isWhole) await keepStatement([item.id, names], inTransaction);
  else if (emptied.length > 0) await dropStatement([item.id, emptied], inTransaction);
  if (names.length === 0) return;
  await keepImages(inTransaction, item.merchantId, [metadata['preview_image'], metadata['paywall_cover_photo']]);
  await writeStatement([item.merchantId, item.id, names, held.map(([, value]) => value)], inTransaction);
}
