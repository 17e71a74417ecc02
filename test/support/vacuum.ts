import { type Pool } from 'pg';
import { until } from './until';

/**
 * Gives the planner exact figures of the tables. VACUUM leaves out pages that a transaction of another process may still see
 * differently, and pages with few dead rows. The planner then reads a table instead of its index. So all rows are cleaned up,
 * and VACUUM is repeated until all pages are visible.
 */
export async function vacuum(pool: Pick<Pool, 'query'>, tables: readonly string[]): Promise<void> {
  await until(async () => {
    await pool.query(`VACUUM (ANALYZE, INDEX_CLEANUP ON) ${tables.join(', ')}`);
    const { rows } = await pool.query(
      'SELECT FROM pg_class WHERE oid = ANY ($1::regclass[]) AND relallvisible < relpages',
      [tables],
    );
    return rows.length === 0;
  });
}
