import { type Transaction } from '../../../adapters/postgres/connection';
import { execute } from '../../../adapters/postgres/statement';

/** One entitlement of an account to an item, as far as others follow on it. */
export interface Stacked {
  id: number;
  startsAt: Date;
  expiresAt: Date;
  /** Of what was bought to follow on another: from when its time counts. */
  countsFrom: Date | null;
}

/** What runs, or is to run, in the order in which it was bought. Nobody else adds to it until the commit. */
export async function lockStack(inTransaction: Transaction, accountId: number, itemId: number): Promise<Stacked[]> {
  await execute(inTransaction, 'SELECT pg_advisory_xact_lock($1, $2)', [accountId, itemId]);
  return execute<Stacked>(
    inTransaction,
    `SELECT id, starts_at AS "startsAt", expires_at AS "expiresAt", counts_from AS "countsFrom" FROM accesses
     WHERE account_id = $1 AND item_id = $2 AND revoked_at IS NULL ORDER BY id FOR UPDATE`,
    [accountId, itemId],
  );
}

export async function moveAccess(inTransaction: Transaction, { id, countsFrom, expiresAt }: Stacked): Promise<void> {
  await execute(inTransaction, 'UPDATE accesses SET counts_from = $2, expires_at = $3 WHERE id = $1', [
    id,
    countsFrom,
    expiresAt,
  ]);
}
