import pg from 'pg';
import { MoveRefusal } from './archive';
import { movedTables } from './tables';
import { type TableDigest } from './moves.model';

/** A connection for one long transaction, whose rows are read and written as text: no value changes on its way. */

export interface Column {
  name: string;
  type: string;
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET TimeZone = 'UTC'; SET DateStyle = 'ISO';
       SET IntervalStyle = 'postgres'; SET bytea_output = 'hex'; SET extra_float_digits = 1`,
    );
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The columns of each table that have a value of their own. */
export async function readColumns(client: pg.Client): Promise<Map<string, Column[]>> {
  const { rows } = await client.query<Column & { table: string }>(
    `SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY c.relname, a.attnum`,
  );
  const columns = new Map<string, Column[]>();
  for (const { table, name, type } of rows) columns.set(table, [...(columns.get(table) ?? []), { name, type }]);
  return columns;
}

/** The migrations with their checksums, in order. */
export async function readMigrations(client: pg.Client): Promise<string[]> {
  const text = `SELECT name || ' ' || checksum AS name FROM migrations ORDER BY name`;
  return (await client.query<{ name: string }>(text)).rows.map(({ name }) => name);
}

/** A digest of each table whose rows must not change after the export. The order of rows does not matter. */
export async function digestTables(client: pg.Client, group: readonly number[]): Promise<Record<string, TableDigest>> {
  const digests: Record<string, TableDigest> = {};
  for (const { table, rows, ...place } of movedTables) {
    if ('isUnsteady' in place) continue;
    const text = `SELECT count(*)::int AS rows, coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text AS sum
      FROM ${table} t WHERE ${rows}`;
    const { rows: found } = await client.query<TableDigest>(text, [group]);
    if (found[0]) digests[table] = found[0];
  }
  return digests;
}

/** Triggers have run on these rows already: they have counted, booked and numbered them. */
export async function leaveTriggersOut(client: pg.Client): Promise<void> {
  try {
    await client.query('SET session_replication_role = replica');
  } catch {
    const { rows } = await client.query<{ name: string }>('SELECT current_user AS name');
    const grant = `GRANT SET ON PARAMETER session_replication_role TO ${quoted(rows[0]?.name ?? '')}`;
    throw new MoveRefusal(`The role may not write rows without triggers. Run as a superuser: ${grant}`);
  }
}

export const quoted = (name: string): string => pg.escapeIdentifier(name);
