import { config } from '../../config';
import { pool } from './connection';

/** Throws if a pooler lends connections without the time limits that this process would set itself. */
export async function refuseUnlimitedPooler(): Promise<void> {
  if (!config.DATABASE_IS_POOLED) return;
  const { rows } = await pool.query<{ name: string }>(
    `SELECT name FROM pg_settings WHERE setting = '0'
     AND name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') ORDER BY name`,
  );
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name).join(', ');
  throw new Error(`The pooler at DATABASE_URL sets no ${names}: deploy/pgbouncer.ini shows how`);
}
