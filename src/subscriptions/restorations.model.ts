import { type Client } from 'pg';
import { intoOutbox } from '../adapters/postgres/outboxTable';
import { type Transaction } from '../adapters/postgres/connection';
import { execute, statement } from '../adapters/postgres/statement';

/** The version of a subscription's row. */
export interface RowVersion {
  version: number;
  token: string;
  updatedAt: Date;
}

const versionStatement = statement<RowVersion>(
  'restoration_row_version',
  'SELECT version, token, updated_at AS "updatedAt" FROM subscriptions WHERE id = $1',
);

export async function findVersion(subscriptionId: number): Promise<RowVersion | undefined> {
  const [row] = await versionStatement([subscriptionId]);
  return row;
}

const removedStatement = statement(
  'restoration_demo_removed',
  `SELECT FROM demo_rows r JOIN demo_fills f ON f.id = r.fill_id
   WHERE r.kind = 'subscription' AND r.row_id = $1 AND r.keeps = 'nothing' AND f.state = 'removed'`,
);

/** Whether the subscription was deleted with the demo data of its merchant. */
export async function isRemovedDemo(subscriptionId: number): Promise<boolean> {
  return (await removedStatement([subscriptionId])).length > 0;
}

export interface BehindRow {
  subscriptionId: number;
  workflowId: string;
  runVersion: number;
  rowVersion: number | null;
}

export async function insertBehind(inTransaction: Transaction, row: BehindRow): Promise<void> {
  await execute(
    inTransaction,
    'INSERT INTO rows_behind (subscription_id, workflow_id, run_version, row_version) VALUES ($1, $2, $3, $4)',
    [row.subscriptionId, row.workflowId, row.runVersion, row.rowVersion],
  );
}

const restoredStatement = statement<{ isRestored: boolean }>(
  'restoration_refund',
  'SELECT $1 <= coalesce((SELECT max(refunds_to) FROM restorations), 0) AS "isRestored"',
);

/** Whether a refund comes from a restored backup, so that the provider may know a later state of it. */
export async function isRefundRestored(refundId: number): Promise<boolean> {
  const [row] = await restoredStatement([refundId]);
  return row?.isRestored === true;
}

const newest = (table: string) => `(SELECT coalesce(max(id), 0) FROM ${table})`;

/**
 * Many runs find the same restoration, so reports within one hour are one row. After each report, the reconciliation
 * lists the provider's payments again. Returns whether the restoration is a new row.
 */
export async function insertRestoration(
  inTransaction: Transaction,
  { backupAt, foundBy }: { backupAt: Date; foundBy: 'operator' | 'run' },
): Promise<boolean> {
  await execute(inTransaction, `SELECT pg_advisory_xact_lock(hashtext('restorations'))`);
  const inserted = await execute(
    inTransaction,
    `WITH known AS (
       UPDATE restorations SET backup_at = least(backup_at, $1), subscriptions_to = ${newest('subscriptions')},
         payments_to = ${newest('payments')}, refunds_to = ${newest('refunds')}, listed_at = NULL
       WHERE restored_at > now() - interval '1 hour' RETURNING id
     )
     INSERT INTO restorations (backup_at, found_by, subscriptions_to, payments_to, refunds_to)
     SELECT least($1, now()), $2, ${newest('subscriptions')}, ${newest('payments')}, ${newest('refunds')}
     WHERE NOT EXISTS (SELECT FROM known) RETURNING id`,
    [backupAt, foundBy],
  );
  return inserted.length > 0;
}

/** On the connection on which the merchant arrives. */
export async function insertArrival(client: Client, exportedAt: string): Promise<void> {
  await client.query(
    `INSERT INTO restorations (backup_at, found_by, subscriptions_to, payments_to, refunds_to)
     VALUES ($1, 'operator', ${newest('subscriptions')}, ${newest('payments')}, ${newest('refunds')})`,
    [exportedAt],
  );
}

/**
 * Lists the provider's payments again: what happened there to a merchant between its import and its start was passed over,
 * because the merchant was not here yet.
 */
export async function listAgain(inTransaction: Transaction, importedAt: Date): Promise<void> {
  const text = 'UPDATE restorations SET listed_at = NULL WHERE restored_at >= $1';
  await execute(inTransaction, text, [importedAt]);
}

/**
 * The start of the time for which a restoration requires a list of the provider's payments. Undefined without a
 * restoration.
 */
export async function findUnlisted(): Promise<{ since: Date; lastId: number } | undefined> {
  const [row] = await unlistedStatement([]);
  return row?.since ? { since: row.since, lastId: row.lastId } : undefined;
}

const unlistedStatement = statement<{ since: Date | null; lastId: number }>(
  'restoration_unlisted',
  'SELECT min(backup_at) AS since, coalesce(max(id), 0) AS "lastId" FROM restorations WHERE listed_at IS NULL',
);

export async function noteListed(inTransaction: Transaction, lastId: number): Promise<void> {
  await execute(inTransaction, 'UPDATE restorations SET listed_at = now() WHERE listed_at IS NULL AND id <= $1', [
    lastId,
  ]);
}

const subscriptionsStatement = `
  ${intoOutbox}
  SELECT 'subscription', $1 || token, token || ':checkRow:' || $2, $2, '{}', jsonb_build_object('merchantId', merchant_id,
    'itemId', item_id, 'state', state, 'requestId', '', 'summary', ''), now(), NULL::text
  FROM subscriptions WHERE state IN ('incomplete', 'trialing', 'active', 'past_due', 'on_hold', 'paused', 'revoked')
  ON CONFLICT (message_id) DO NOTHING RETURNING id`;

/** Signals every live run to compare itself with its row. Returns the number of signals. */
export async function signalRuns(inTransaction: Transaction, idPrefix: string, signal: string): Promise<number> {
  return (await execute(inTransaction, subscriptionsStatement, [idPrefix, signal])).length;
}

/** Runs and logs contain ids that were given after the backup, so these ids must not be given again. */
export async function skipIds(inTransaction: Transaction, count: number): Promise<void> {
  await execute(
    inTransaction,
    `SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, coalesce(last_value, 0) + $1)
     FROM pg_sequences WHERE schemaname = 'public' AND data_type <> 'smallint'::regtype`,
    [count],
  );
  await execute(
    inTransaction,
    `UPDATE restorations r SET skipped_from = least(r.skipped_from, s.last_value - $1), skipped_to = s.last_value
     FROM pg_sequences s WHERE s.schemaname = 'public' AND s.sequencename = 'subscriptions_id_seq'
       AND r.id = (SELECT max(id) FROM restorations)`,
    [count],
  );
}

/** Whether an operator has marked the restore with which a subscription was lost. */
export async function isOfMarkedRestore(inTransaction: Transaction, subscriptionId: number): Promise<boolean> {
  const text = 'SELECT FROM restorations WHERE skipped_from < $1 AND skipped_to >= $1';
  return (await execute(inTransaction, text, [subscriptionId])).length > 0;
}

/** The newest time in the database. */
export async function findNewest(inTransaction: Transaction): Promise<Date> {
  const [row] = await execute<{ at: Date }>(
    inTransaction,
    `SELECT coalesce(greatest((SELECT max(opened_at) FROM charges), (SELECT max(created_at) FROM outbox)),
       now() - interval '7 days') AS at`,
    [],
  );
  return row?.at ?? new Date();
}
