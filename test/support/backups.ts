import { DatabaseError, type Pool, type PoolClient } from 'pg';
import { type MarkedRestoration } from '../../src/subscriptions/restorations';
import { type ReconciliationResult } from '../../workflows/messages';

/** A copy of a whole database, like a backup: the rows of every table, and every sequence. */
export interface Backup {
  /** Restores the copy while connections stay open. The tables of the sandbox belong to the card provider and stay. */
  putBack: () => Promise<void>;
}

const tablesQuery = `
  SELECT t.table_name AS name, string_agg(quote_ident(c.column_name), ', ' ORDER BY c.ordinal_position) AS columns
  FROM information_schema.tables t
  JOIN information_schema.columns c ON c.table_schema = t.table_schema AND c.table_name = t.table_name
  WHERE t.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.is_generated = 'NEVER'
    AND t.table_name NOT LIKE 'sandbox\\_%'
  GROUP BY t.table_name ORDER BY t.table_name`;

interface Table {
  name: string;
  columns: string;
}

let taken = 0;

export async function takeBackup(pool: Pool): Promise<Backup> {
  const schema = `backup_${(taken += 1)}`;
  const { rows: tables } = await pool.query<Table>(tablesQuery);
  await inOneTransaction(pool, async (client) => {
    await client.query(`CREATE SCHEMA ${schema}`);
    for (const { name, columns } of tables)
      await client.query(`CREATE TABLE ${schema}."${name}" AS SELECT ${columns} FROM public."${name}"`);
  });
  // After the rows: no sequence is behind a row of the copy.
  const { rows: counters } = await pool.query<{ name: string; value: string | null }>(
    `SELECT quote_ident(schemaname) || '.' || quote_ident(sequencename) AS name, last_value AS value FROM pg_sequences
     WHERE schemaname = 'public'`,
  );
  return {
    putBack: () =>
      inOneTransaction(pool, async (client) => {
        // Triggers have already run on these rows.
        await client.query('SET LOCAL session_replication_role = replica');
        await client.query(`TRUNCATE ${tables.map(({ name }) => `public."${name}"`).join(', ')} CASCADE`);
        for (const { name, columns } of tables)
          await client.query(
            `INSERT INTO public."${name}" (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM ${schema}."${name}"`,
          );
        for (const { name, value } of counters)
          await client.query('SELECT setval($1, coalesce($2::bigint, 1), $2::bigint IS NOT NULL)', [name, value]);
      }),
  };
}

/** What `npm run restored` does. */
export async function markRestored(): Promise<MarkedRestoration> {
  const { markRestored: mark } = await import('../../src/subscriptions/restorations.js');
  return mark();
}

/** What the schedule of the reconciliation does every hour. */
export async function reconcileCharges(): Promise<ReconciliationResult> {
  const { reconcileCharges: reconcile } = await import('../../src/subscriptions/provider/reconciliation.js');
  return reconcile();
}

const deadlock = '40P01';

/** Repeats the transaction after a deadlock: the service locks the same tables in another order. */
async function inOneTransaction(pool: Pool, work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    for (;;) {
      try {
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
        await work(client);
        await client.query('COMMIT');
        return;
      } catch (error) {
        await client.query('ROLLBACK');
        if (!(error instanceof DatabaseError) || error.code !== deadlock) throw error;
      }
    }
  } finally {
    client.release();
  }
}
