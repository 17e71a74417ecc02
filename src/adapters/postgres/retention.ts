import { logger } from '../logger';
import { pool } from './connection';

const everyMs = 3_600_000;

/** What is kept for a time only (decisions 1, 8): events 7 days, idempotency keys 24 hours, dead sessions' tokens. */
const deletions = [
  `DELETE FROM events WHERE created_at < now() - interval '7 days'`,
  `DELETE FROM idempotency_keys WHERE claimed_at < now() - lifetime`,
  `DELETE FROM rate_limits WHERE window_starts_at < now() - interval '10 minutes'`,
  `DELETE FROM refresh_tokens WHERE expires_at < now()`,
];

/** Deletes what has outlived its time; several replicas doing so at once do no harm. */
export async function deleteOutdated(): Promise<void> {
  for (const deletion of deletions) await pool.query(deletion);
}

export function startRetention(): NodeJS.Timeout {
  return setInterval(() => {
    deleteOutdated().catch((error: Error) => logger.warn({ reason: error.message }, 'old rows were not deleted'));
  }, everyMs).unref();
}
