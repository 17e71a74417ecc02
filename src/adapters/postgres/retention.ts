import { logger } from '../logger';
import { pool } from './connection';

const everyMs = 3_600_000;

/**
 * What is kept for a time only (decisions 1, 8): events 7 days, idempotency keys 24 hours, dead sessions' tokens, the
 * stores' notifications and mails (but those whose day has not come) 30 days, the audit log 13 months, addresses that were left without an account as long after they
 * were given last.
 */
const deletions = [
  `DELETE FROM events WHERE created_at < now() - interval '7 days'`,
  `DELETE FROM idempotency_keys WHERE claimed_at < now() - lifetime`,
  `DELETE FROM rate_limits WHERE window_starts_at < now() - interval '10 minutes'`,
  `DELETE FROM refresh_tokens WHERE expires_at < now()`,
  `UPDATE refresh_tokens SET sealed_successor = NULL
   WHERE sealed_successor IS NOT NULL AND used_at < now() - interval '1 minute'`,
  `DELETE FROM wrong_guesses WHERE greatest(failed_at + interval '12 hours', trusted_until) < now()`,
  `DELETE FROM social_sign_ins WHERE expires_at < now()`,
  `DELETE FROM analytics_events WHERE day < now() - interval '90 days'`,
  `DELETE FROM analytics_visits WHERE day < now() - interval '90 days'`,
  `DELETE FROM mails WHERE created_at < now() - interval '30 days' AND useful_until < now()`,
  `DELETE FROM provider_notifications WHERE received_at < now() - interval '90 days'`,
  `DELETE FROM mail_requests WHERE created_at < now() - interval '1 day'`,
  `DELETE FROM mailed_tokens WHERE expires_at < now()`,
  `DELETE FROM webhook_deliveries WHERE created_at < now() - interval '30 days' AND state <> 'pending'`,
  `DELETE FROM hourly_counts WHERE hour_starts_at < now() - interval '1 hour'`,
  `DELETE FROM data_captures WHERE updated_at < now() - interval '13 months'`,
  `DELETE FROM account_operations WHERE kind = 'export' AND ended_at < now() - interval '30 days'`,
  `DELETE FROM store_notifications WHERE received_at < now() - interval '30 days'`,
  // From the beginning of each log to its first younger entry: the log forgets in one piece.
  `DELETE FROM audit_log l USING (
     SELECT c.merchant_id, coalesce((SELECT min(k.sequence) FROM audit_log k WHERE k.merchant_id = c.merchant_id
       AND k.created_at >= now() - interval '13 months'), c.last_sequence + 1) AS first_kept
     FROM audit_chains c) AS bounds
   WHERE l.merchant_id = bounds.merchant_id AND l.sequence < bounds.first_kept`,
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
