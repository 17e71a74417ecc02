import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { query, statement } from '../adapters/postgres/statement';
import { totalOf } from '../adapters/postgres/totals';

export class Item extends Model<InferAttributes<Item>, InferCreationAttributes<Item>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare isActive: CreationOptional<boolean>;
  declare title: string;
  declare itemType: string;
  declare accessControlType: CreationOptional<string>;
  declare content: CreationOptional<string>;
  declare templateId: CreationOptional<number | null>;
  declare externalId: CreationOptional<string | null>;
  declare eventType: CreationOptional<string | null>;
  declare planSwitchEnabled: CreationOptional<boolean>;
  declare isGiftable: CreationOptional<boolean>;
  declare giftDescription: CreationOptional<string | null>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
}

Item.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    isActive: DataTypes.BOOLEAN,
    title: DataTypes.TEXT,
    itemType: DataTypes.TEXT,
    accessControlType: DataTypes.TEXT,
    content: DataTypes.TEXT,
    templateId: DataTypes.INTEGER,
    externalId: DataTypes.TEXT,
    eventType: DataTypes.TEXT,
    planSwitchEnabled: DataTypes.BOOLEAN,
    isGiftable: DataTypes.BOOLEAN,
    giftDescription: DataTypes.TEXT,
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'items' },
);

/**
 * What a card shows: an item with its metadata and the age that it needs (its own, else its
 * merchant's), without its content.
 */
export interface CardRow extends Omit<InferAttributes<Item>, 'content'> {
  metadata: { id: number; name: string; value: string }[];
  minAge: number | null;
}

/** A row as its merchant reads it. */
export interface ItemRow extends CardRow {
  content: string;
}

const cardColumns = `i.id, i.merchant_id AS "merchantId", i.is_active AS "isActive", i.title, i.item_type AS "itemType",
  i.access_control_type AS "accessControlType", i.template_id AS "templateId", i.external_id AS "externalId",
  i.event_type AS "eventType", i.plan_switch_enabled AS "planSwitchEnabled", i.is_giftable AS "isGiftable",
  i.gift_description AS "giftDescription", i.created_at AS "createdAt", i.updated_at AS "updatedAt",
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

/** In no order. */
export const findCards = (ids: readonly number[]): Promise<CardRow[]> => cardsStatement([ids]);

const externalStatement = statement<CardRow>(
  'item_external',
  `SELECT ${cardColumns} FROM items i
   WHERE i.merchant_id = $1 AND i.external_id = $2 AND i.item_type = $3 AND i.is_active ORDER BY i.id DESC LIMIT 1`,
);

/** The newest that is sold of those that share an id of their platform. */
export async function findExternalItem(merchantId: number, itemType: string, externalId: string) {
  const [item] = await externalStatement([merchantId, externalId, itemType]);
  return item;
}

/** Which of a merchant's items; every condition holds. */
export interface ItemFilter {
  merchantId: number;
  /** The lowest and the highest id: a range of the index. */
  ids: readonly [number, number];
  /** Patterns of ILIKE. */
  titles: readonly string[];
  externalIds: readonly string[];
  itemType?: string | undefined;
  isActive?: boolean | undefined;
  /** Only what this package holds. */
  packageId?: number | undefined;
  /** Only what can be subscribed to now, wherever the visitor is. */
  isPlan?: true;
}

/** In which order, by an index each. Ids rise with the time of creation. */
const itemOrders = { id: 'i.id', title: 'i.title', updated_at: 'i.updated_at' } as const;
export type ItemOrder = keyof typeof itemOrders;

const filterText = `i.merchant_id = $1 AND i.id BETWEEN $2 AND $3 AND i.external_id = ALL ($4::text[])
  AND ($5::boolean IS NULL OR i.is_active = $5)`;

const typeText = '($6::text IS NULL OR i.item_type = $6)';
const ownParameters = 6;

const present = '(SELECT merchant_now($1))';
const planText = `EXISTS (SELECT FROM access_fees f JOIN access_types t ON t.id = f.access_type_id
  WHERE f.item_id = i.id AND f.retired_at IS NULL AND t.name = 'subscription'
    AND (f.starts_at IS NULL OR f.starts_at <= ${present}) AND (f.expires_at IS NULL OR f.expires_at > ${present}))`;

/** Where the rows are walked: each has its index. */
const sources = {
  items: { from: 'items i', where: `${filterText} AND ${typeText}` },
  packages: { from: 'items i', where: `${filterText} AND ${typeText} AND i.item_type = 'package'` },
  plans: { from: 'items i', where: `${filterText} AND ${typeText} AND ${planText}` },
  members: {
    from: 'package_items p JOIN items i ON i.id = p.item_id',
    where: `${filterText} AND p.package_id = $6::int`,
  },
};

interface PageOrder {
  by: ItemOrder;
  isDescending: boolean;
}
const newestFirst: PageOrder = { by: 'id', isDescending: true };

/** Which rows, as text with its values. Each pattern has a condition of its own, which the index of titles can answer. */
function filtered(filter: ItemFilter) {
  const { from, where } = sources[sourceOf(filter)];
  const titles = filter.titles.map((_pattern, index) => `AND i.title ILIKE $${ownParameters + index + 1}`);
  const { isActive = null, itemType = null, packageId = null } = filter;
  const own = [filter.merchantId, ...filter.ids, filter.externalIds, isActive, packageId ?? itemType];
  return { from, where: [where, ...titles].join(' '), values: [...own, ...filter.titles] };
}

/** Ids first: of the rows that are passed over nothing else is read. */
function pageText({ from, where, values }: ReturnType<typeof filtered>, { by, isDescending }: PageOrder): string {
  const direction = isDescending ? 'DESC' : 'ASC';
  const order = [...new Set([itemOrders[by], 'i.id'])].map((column) => `${column} ${direction}`).join(', ');
  const range = `LIMIT $${values.length + 1} OFFSET $${values.length + 2}`;
  return `SELECT ${cardColumns} FROM (SELECT i.id FROM ${from} WHERE ${where} ORDER BY ${order} ${range}) AS page
    JOIN items i USING (id) ORDER BY ${order}`;
}

function sourceOf({ itemType, packageId, isPlan }: ItemFilter): keyof typeof sources {
  if (packageId !== undefined) return 'members';
  if (isPlan) return 'plans';
  return itemType === 'package' ? 'packages' : 'items';
}

/** Some of them, newest first unless said otherwise. */
export function findItems(
  filter: ItemFilter,
  { limit, offset }: { limit: number; offset: number },
  order: PageOrder = newestFirst,
): Promise<CardRow[]> {
  const rowsOf = filtered(filter);
  return query<CardRow>(pageText(rowsOf, order), [...rowsOf.values, limit, offset]);
}

/** A page of them, and how many there are on all pages. */
export async function findItemPage(
  filter: ItemFilter,
  { limit, offset }: { limit: number; offset: number },
  order: PageOrder = newestFirst,
): Promise<{ rows: CardRow[]; total: number }> {
  const { from, where, values } = filtered(filter);
  const rows = await findItems(filter, { limit, offset }, order);
  const total = await totalOf(`items ${JSON.stringify(filter)}`, { limit, offset, found: rows.length }, async () => {
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

/** How many names an item's metadata has. */
export async function countMetadata(inTransaction: Transaction, itemId: number): Promise<number> {
  const [counted] = await countStatement([itemId], inTransaction);
  return counted?.names ?? 0;
}

/** Writes the named values; an empty one goes. `isWhole`: so does what is not named. */
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
  await writeStatement([item.merchantId, item.id, names, held.map(([, value]) => value)], inTransaction);
}
