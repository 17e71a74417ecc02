import { type Transaction } from '../adapters/postgres/connection';
import { execute } from '../adapters/postgres/statement';

/** An entitlement of an account to an item, with the fields that decide which entitlements follow it. */
export interface Stacked {
  id: number;
  startsAt: Date;
  expiresAt: Date;
  /** The start of its time, if it was bought to follow another entitlement. */
  countsFrom: Date | null;
  /** Whether the entitlement is for a package that contains the item. */
  isOfPackage: boolean;
  /** Whether it also follows the access of a package. */
  followsPackages: boolean;
}

// A purchase keeps the rule from the time of its sale. A fee that was used for a grant does not change.
const ruleOfSale = `LEFT JOIN payments p ON a.source = 'payment' AND p.id = a.source_id
     LEFT JOIN access_fees g ON a.source = 'grant' AND g.id = a.access_fee_id`;
const followsPackages = `coalesce(coalesce(p.when_owned, g.when_owned) = 'extend_current', false)`;

/** Locks and lists current and future entitlements, in the order of purchase. */
export async function lockStack(inTransaction: Transaction, accountId: number, itemId: number): Promise<Stacked[]> {
  await execute(inTransaction, 'SELECT pg_advisory_xact_lock($1, $2)', [accountId, itemId]);
  return execute<Stacked>(
    inTransaction,
    `SELECT a.id, a.starts_at AS "startsAt", a.expires_at AS "expiresAt", a.counts_from AS "countsFrom",
       a.item_id <> $2 AS "isOfPackage", ${followsPackages} AS "followsPackages"
     FROM accesses a ${ruleOfSale}
     WHERE a.account_id = $1 AND a.revoked_at IS NULL
       AND (a.item_id = $2 OR a.item_id IN (SELECT package_id FROM package_items WHERE item_id = $2))
     ORDER BY a.id FOR UPDATE OF a`,
    [accountId, itemId],
  );
}

/** The items of a package for which the account has bought access that follows the package's access. */
export async function listFollowing(
  inTransaction: Transaction,
  accountId: number,
  packageId: number,
): Promise<number[]> {
  const rows = await execute<{ id: number }>(
    inTransaction,
    `SELECT DISTINCT a.item_id AS id FROM accesses a
     JOIN package_items i ON i.item_id = a.item_id AND i.package_id = $2
     ${ruleOfSale}
     WHERE a.account_id = $1 AND a.revoked_at IS NULL AND ${followsPackages} ORDER BY 1`,
    [accountId, packageId],
  );
  return rows.map(({ id }) => id);
}

export async function moveAccess(inTransaction: Transaction, { id, countsFrom, expiresAt }: Stacked): Promise<void> {
  await execute(inTransaction, 'UPDATE accesses SET counts_from = $2, expires_at = $3 WHERE id = $1', [
    id,
    countsFrom,
    expiresAt,
  ]);
}
