import { type Transaction } from '../../adapters/postgres/connection';
import { isHere } from '../../adapters/postgres/moving';
import { execute, statement } from '../../adapters/postgres/statement';

/** An operator's decision about a merchant. A merchant without a row is open. */
export type MerchantState = 'open' | 'waiting' | 'suspended';

export interface StateRow {
  state: MerchantState;
  /** The reason for the suspension. The merchant reads it. */
  reason: string | null;
}

const stateOf = `CASE WHEN s.suspended_at IS NOT NULL THEN 'suspended' WHEN s.waiting_since IS NOT NULL THEN 'waiting'
  ELSE 'open' END AS state, s.suspension_reason AS reason`;

const stateStatement = statement<StateRow>(
  'merchant_state',
  `SELECT ${stateOf} FROM accounts a LEFT JOIN merchant_states s ON s.merchant_id = a.id WHERE a.id = $1`,
);
const stateByUuidStatement = statement<StateRow>(
  'merchant_state_by_uuid',
  `SELECT ${stateOf} FROM accounts a JOIN merchant_states s ON s.merchant_id = a.id
   WHERE a.uuid = $1 AND a.role = 'merchant'`,
);

const hereStatement = statement<{ id: number }>(
  'merchants_here',
  `SELECT asked.id FROM unnest($1::int[]) WITH ORDINALITY AS asked (id, n) WHERE ${isHere('asked.id')} ORDER BY asked.n`,
);

/** Those of the merchants that do not move and have not moved. */
export async function listHere(merchantIds: readonly number[], inTransaction?: Transaction): Promise<number[]> {
  return (await hereStatement([merchantIds], inTransaction)).map(({ id }) => id);
}

export async function getState(merchantId: number, inTransaction?: Transaction): Promise<StateRow> {
  return (await stateStatement([merchantId], inTransaction))[0] ?? { state: 'open', reason: null };
}

/** Whether the merchant waits for approval or is suspended. A merchant that does not exist is not. */
export async function isClosed(merchantUuid: string): Promise<boolean> {
  const [found] = await stateByUuidStatement([merchantUuid]);
  return found !== undefined && found.state !== 'open';
}

/** Runs in the transaction that registers the merchant. */
export async function insertWaiting(inTransaction: Transaction, merchantId: number): Promise<void> {
  await execute(inTransaction, 'INSERT INTO merchant_states (merchant_id, waiting_since) VALUES ($1, now())', [
    merchantId,
  ]);
}

/** Gives a new follower the waiting state of its master. */
export async function inheritWaiting(inTransaction: Transaction, followerId: number, masterId: number): Promise<void> {
  await execute(
    inTransaction,
    `INSERT INTO merchant_states (merchant_id, waiting_since)
     SELECT $1, waiting_since FROM merchant_states WHERE merchant_id = $2 AND waiting_since IS NOT NULL`,
    [followerId, masterId],
  );
}

const itsFollowers = 'SELECT follower_id FROM follower_relations WHERE master_id = $1';

/** Opens a merchant that waits for approval, and its followers. False if it does not wait. */
export async function approve(inTransaction: Transaction, merchantId: number): Promise<boolean> {
  const opened = await execute<{ merchant_id: number }>(
    inTransaction,
    `UPDATE merchant_states SET waiting_since = NULL, updated_at = now()
     WHERE waiting_since IS NOT NULL AND (merchant_id = $1 OR merchant_id IN (${itsFollowers})
       AND EXISTS (SELECT FROM merchant_states WHERE merchant_id = $1 AND waiting_since IS NOT NULL))
     RETURNING merchant_id`,
    [merchantId],
  );
  return opened.some(({ merchant_id: id }) => id === merchantId);
}

/** Suspends a merchant and its followers, and returns their ids. Empty if the merchant is already suspended. */
export async function suspend(inTransaction: Transaction, merchantId: number, reason: string): Promise<number[]> {
  const suspended = await execute<{ merchant_id: number }>(
    inTransaction,
    `INSERT INTO merchant_states AS s (merchant_id, suspended_at, suspension_reason, suspended_with)
     SELECT id, now(), $2, CASE WHEN id <> $1 THEN $1::int END FROM accounts
     WHERE id = $1 OR id IN (${itsFollowers})
       AND NOT EXISTS (SELECT FROM merchant_states WHERE merchant_id = $1 AND suspended_at IS NOT NULL)
     ON CONFLICT (merchant_id) DO UPDATE SET suspended_at = now(), suspension_reason = excluded.suspension_reason,
       suspended_with = excluded.suspended_with, updated_at = now()
     WHERE s.suspended_at IS NULL
     RETURNING merchant_id`,
    [merchantId, reason],
  );
  return suspended.map(({ merchant_id: id }) => id);
}

/** Ends the suspension of a merchant and of the followers that were suspended with it. False if it is not suspended. */
export async function resume(inTransaction: Transaction, merchantId: number): Promise<boolean> {
  const resumed = await execute<{ merchant_id: number }>(
    inTransaction,
    `UPDATE merchant_states
     SET suspended_at = NULL, suspension_reason = NULL, suspended_with = NULL, updated_at = now()
     WHERE suspended_at IS NOT NULL AND moving_since IS NULL AND (merchant_id = $1 OR suspended_with = $1)
     RETURNING merchant_id`,
    [merchantId],
  );
  return resumed.some(({ merchant_id: id }) => id === merchantId);
}

/** The merchants are suspended already. */
export async function setMoving(inTransaction: Transaction, group: readonly number[]): Promise<void> {
  const text = 'UPDATE merchant_states SET moving_since = now(), updated_at = now() WHERE merchant_id = ANY($1::int[])';
  await execute(inTransaction, text, [group]);
}

/** They live here, and are still suspended. */
export async function endMoving(inTransaction: Transaction, group: readonly number[]): Promise<void> {
  await execute(
    inTransaction,
    `UPDATE merchant_states SET moving_since = NULL, updated_at = now()
     WHERE merchant_id = ANY($1::int[]) AND moved_at IS NULL`,
    [group],
  );
}

export async function setMoved(inTransaction: Transaction, group: readonly number[], reason: string): Promise<void> {
  await execute(
    inTransaction,
    `UPDATE merchant_states SET moved_at = now(), suspension_reason = $2, updated_at = now()
     WHERE merchant_id = ANY($1::int[])`,
    [group, reason],
  );
}
