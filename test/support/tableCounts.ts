import { type Pool } from 'pg';

/** Tables that belong to no merchant, or that other programs write meanwhile. */
const others = [
  'figure_deltas',
  'daily_figures',
  'rate_limits',
  'hourly_counts',
  'wrong_guesses',
  'outbox',
  'run_rounds',
];

/** The number of rows of each table that has some. */
export async function countsOf(pool: Pool, except: readonly string[] = []): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
       AND relname <> ALL($1) ORDER BY relname`,
    [[...others, ...except]],
  );
  const counts: Record<string, number> = {};
  for (const { name } of rows) {
    const counted = await pool.query<{ rows: number }>(`SELECT count(*)::int AS rows FROM ${name}`);
    const count = counted.rows[0]?.rows ?? 0;
    if (count > 0) counts[name] = count;
  }
  return counts;
}

/** The sums of reports of a merchant that are not zero. */
export async function figuresOf(pool: Pool, merchantId: number, dimension?: string): Promise<object[]> {
  const { rows } = await pool.query<object>(
    `SELECT figure, dimension, day::text, key, currency, sum(count)::int AS count, sum(amount)::float8 AS amount FROM (
       SELECT figure, dimension, day, key, currency, count, amount_minor AS amount FROM daily_figures WHERE merchant_id = $1
       UNION ALL SELECT figure, d.dimension, day, d.key, currency, count, amount_minor FROM figure_deltas
         CROSS JOIN LATERAL unnest(dimensions, keys) AS d (dimension, key) WHERE merchant_id = $1) f
     WHERE $2::text IS NULL OR dimension = $2 GROUP BY 1, 2, 3, 4, 5 HAVING sum(count) <> 0 OR sum(amount) <> 0`,
    [merchantId, dimension],
  );
  return rows;
}
