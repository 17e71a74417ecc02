import { type Pool } from 'pg';
import { until } from './until';

/** The processes of the database that wait for a lock. */
export async function listWaiting(pool: Pool): Promise<number[]> {
  const text = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return (await pool.query<{ pid: number }>(text)).rows.map(({ pid }) => pid);
}

/** Waits until as many requests wait for a lock. A transaction sees one state of the activity, so the pool looks. */
export const waitForLocks = (pool: Pool, count = 1): Promise<number[]> =>
  until(async () => {
    const waiting = await listWaiting(pool);
    return waiting.length >= count && waiting;
  });
