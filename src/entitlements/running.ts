import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

const endStatement = statement<{ ends_at: Date | null }>(
  'access_end',
  `SELECT max(expires_at) AS ends_at FROM accesses
   WHERE account_id = $1 AND item_id = $2 AND revoked_at IS NULL AND expires_at > merchant_now(merchant_id)`,
);
const anyEndStatement = statement<{ ends_at: Date | null }>(
  'access_end_of_any',
  `SELECT max(expires_at) AS ends_at FROM accesses
   WHERE account_id = $1 AND (item_id = $2 OR item_id IN (SELECT package_id FROM package_items WHERE item_id = $2))
     AND revoked_at IS NULL AND expires_at > merchant_now(merchant_id)`,
);
const lockStatement = statement('access_end_lock', 'SELECT pg_advisory_xact_lock($1, $2)');

/**
 * The end of an account's access to an item. Undefined without access. In a transaction, the access is locked against
 * other transactions that call this function.
 */
export function findAccessEnd(
  accountId: number,
  itemId: number,
  inTransaction?: Transaction,
): Promise<Date | undefined> {
  return readEnd(endStatement, accountId, itemId, inTransaction);
}

/** Like `findAccessEnd`, with access by packages that contain the item. */
export function findLastEnd(accountId: number, itemId: number, inTransaction: Transaction): Promise<Date | undefined> {
  return readEnd(anyEndStatement, accountId, itemId, inTransaction);
}

async function readEnd(
  read: typeof endStatement,
  accountId: number,
  itemId: number,
  inTransaction: Transaction | undefined,
): Promise<Date | undefined> {
  if (inTransaction) await lockStatement([accountId, itemId], inTransaction);
  const [found] = await read([accountId, itemId], inTransaction);
  return found?.ends_at ?? undefined;
}

const heldStatement = statement<{ id: number }>(
  'access_held',
  `SELECT id FROM accesses
   WHERE account_id = $1 AND (item_id = $2 OR item_id IN (SELECT package_id FROM package_items WHERE item_id = $2))
     AND revoked_at IS NULL AND expires_at > merchant_now(merchant_id)
   ORDER BY expires_at DESC LIMIT 1`,
);

/** The id of an account's access to an item, also by a package. Undefined without access. */
export async function findHeldAccess(accountId: number, itemId: number): Promise<number | undefined> {
  const [held] = await heldStatement([accountId, itemId]);
  return held?.id;
}
