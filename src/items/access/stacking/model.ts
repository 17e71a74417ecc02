import { type Transaction } from '../../../adapters/postgres/connection';
import { execute } from '../../../adapters/postgres/statement';

/** One entitlement of an account to an item, as far as others follow on it. */
export interface Stacked {
  id: number;
  startsAt: Date;
  expiresAt: Date;
  /** Of what was bought to follow on another: from when its time counts. */
  countsFrom: Date | null;
  /** It opens the item as a part of a package. */
  isOfPackage: boolean;
  /** It follows on a package's access too. */
  followsPackages: boolean;
}

// What was bought keeps the rule that it was sold under; a fee that somebody was given something by does not change.
const ruleOfSale = `LEFT JOIN payments p ON a.source = 'payment' AND p.id = a.source_id
     LEFT JOIN access_fees g ON a.source = 'grant' AND g.id = a.access_fee_id`;
const followsPackages = `coalesce(coalesce(p.when_owned, g.when_owned) = 'extend_current', false)`;

/** What runs, or is to run, in the order in which it was bought. Nobody else adds to it until the commit. */
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

/** The items of a package that the account has bought to follow on the package's access. */
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
