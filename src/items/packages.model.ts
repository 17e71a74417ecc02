import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

const knownStatement = statement<{ id: number; isPackage: boolean }>(
  'package_candidates',
  `SELECT id, item_type = 'package' AS "isPackage" FROM items WHERE merchant_id = $1 AND id = ANY ($2::int[])`,
);

/** The given ids that are items of the merchant. */
export function findCandidates(inTransaction: Transaction, merchantId: number, ids: readonly number[]) {
  return knownStatement([merchantId, ids], inTransaction);
}

const addStatement = statement(
  'package_add',
  `INSERT INTO package_items (merchant_id, package_id, item_id)
   SELECT $1, $2, item_id FROM unnest($3::int[]) AS sent (item_id) ON CONFLICT DO NOTHING`,
);

export async function addMembers(
  inTransaction: Transaction,
  { id, merchantId }: { id: number; merchantId: number },
  itemIds: readonly number[],
): Promise<void> {
  await addStatement([merchantId, id, itemIds], inTransaction);
}

const removeStatement = statement(
  'package_remove',
  'DELETE FROM package_items WHERE package_id = $1 AND item_id = ANY ($2::int[])',
);

export async function removeMembers(
  inTransaction: Transaction,
  packageId: number,
  itemIds: readonly number[],
): Promise<void> {
  await removeStatement([packageId, itemIds], inTransaction);
}

const removeOthersStatement = statement(
  'package_keep',
  'DELETE FROM package_items WHERE package_id = $1 AND item_id <> ALL ($2::int[])',
);

export async function removeOtherMembers(
  inTransaction: Transaction,
  packageId: number,
  itemIds: readonly number[],
): Promise<void> {
  await removeOthersStatement([packageId, itemIds], inTransaction);
}

const heldStatement = statement<{ itemId: number }>(
  'package_held',
  `SELECT item_id AS "itemId" FROM package_items WHERE merchant_id = $1 AND package_id = $2
     AND item_id = ANY ($3::int[])`,
);

/** The given ids that are members of the package. */
export async function findHeld(merchantId: number, packageId: number, ids: readonly number[]): Promise<Set<number>> {
  const rows = await heldStatement([merchantId, packageId, ids]);
  return new Set(rows.map(({ itemId }) => itemId));
}

const holdersStatement = statement<{ id: number }>(
  'package_holders',
  `SELECT i.id FROM package_items p JOIN items i ON i.id = p.package_id AND i.is_active
   WHERE p.item_id = $1 ORDER BY i.id DESC LIMIT 10`,
);

/** The packages on sale that contain an item, newest first, at most ten. */
export async function findHolders(itemId: number): Promise<number[]> {
  return (await holdersStatement([itemId])).map(({ id }) => id);
}

const countStatement = statement<{ packageId: number; count: number }>(
  'package_counts',
  `SELECT p.package_id AS "packageId", count(*)::int AS count
   FROM package_items p JOIN items i ON i.id = p.item_id AND i.is_active
   WHERE p.package_id = ANY ($1::int[]) GROUP BY p.package_id`,
);

/** The number of items on sale in each package. */
export async function countMembers(packageIds: readonly number[]): Promise<Map<number, number>> {
  const rows = await countStatement([packageIds]);
  return new Map(rows.map(({ packageId, count }) => [packageId, count]));
}
