import { type TestApp } from './startApp';

/** Copies a row of a table, with other values in some columns. `n` in their SQL is the number of the copy, from 1. */
export async function copyRow(
  { pool }: Pick<TestApp, 'pool'>,
  table: string,
  { id, count, changes }: { id: number; count: number; changes: Record<string, string> },
): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT quote_ident(column_name) AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER' AND column_name <> 'id'`,
    [table],
  );
  const names = rows.map(({ name }) => name);
  const values = names.map((name) => changes[name] ?? name);
  const copy = (from: number, to: number) =>
    pool.query(
      `INSERT INTO ${table} (${names.join(', ')})
       SELECT ${values.join(', ')} FROM ${table}, generate_series($2::int, $3::int) AS n WHERE id = $1`,
      [id, from, to],
    );
  // Triggers read the table with plans for what it contains.
  const first = Math.min(count, 100);
  await copy(1, first);
  await pool.query(`ANALYZE ${table}`);
  if (first < count) await copy(first + 1, count);
}
