import { logger } from '../adapters/logger';
import { transaction } from '../adapters/postgres/connection';
import { isSettled } from '../adapters/postgres/moving';
import { execute } from '../adapters/postgres/statement';

const everyMs = 3_600_000;

const ofSettledEndpoint = `EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = endpoint_id AND ${isSettled('e.merchant_id')})`;

/**
 * Rows that are kept for a limited time. Those of a merchant on its way to another installation wait, because it leaves only
 * with the rows that were exported.
 */
const deletions = [
  `DELETE FROM events WHERE created_at < now() - interval '7 days'
     AND ${isSettled('events.merchant_id')}`,
  `DELETE FROM idempotency_keys WHERE created_at < now() - interval '24 hours'`,
  `DELETE FROM rate_limits WHERE window_starts_at < now() - interval '10 minutes'`,
  `DELETE FROM refresh_tokens WHERE expires_at < now()`,
  `UPDATE refresh_tokens SET sealed_successor = NULL
   WHERE sealed_successor IS NOT NULL AND used_at < now() - interval '1 minute'`,
  `DELETE FROM wrong_guesses WHERE greatest(failed_at + interval '12 hours', trusted_until) < now()`,
  `DELETE FROM social_sign_ins WHERE expires_at < now()`,
  `DELETE FROM company_sign_ins WHERE expires_at < now()`,
  `DELETE FROM analytics_events WHERE day < now() - interval '90 days'`,
  `DELETE FROM analytics_visits WHERE day < now() - interval '90 days'`,
  `DELETE FROM mails WHERE created_at < now() - interval '30 days' AND useful_until < now()
     AND ${isSettled('mails.merchant_id')}`,
  `DELETE FROM mail_uses WHERE day < now() - interval '30 days'`,
  `DELETE FROM provider_notifications WHERE received_at < now() - interval '90 days'`,
  `DELETE FROM mail_requests WHERE created_at < now() - interval '1 day'`,
  `DELETE FROM mailed_tokens WHERE expires_at < now()`,
  `DELETE FROM email_changes WHERE confirmed_at IS NULL AND created_at < now() - interval '7 days'
     AND ${isSettled('email_changes.merchant_id')}`,
  `DELETE FROM staff_invitations WHERE expires_at < now() - interval '30 days'
     AND ${isSettled('staff_invitations.merchant_id')}`,
  // Afterwards the recipient can get a new question.
  `DELETE FROM report_recipients WHERE confirmed_at IS NULL
     AND greatest(stopped_at + interval '365 days', asked_at + interval '30 days') < now()
     AND ${isSettled('report_recipients.merchant_id')}`,
  `DELETE FROM sign_in_challenges WHERE expires_at < now()`,
  `DELETE FROM second_factors WHERE expires_at < now()
     AND ${isSettled('second_factors.merchant_id')}`,
  `DELETE FROM passkey_challenges WHERE expires_at < now()`,
  `DELETE FROM device_pairings WHERE expires_at < now()`,
  `DELETE FROM webhook_deliveries WHERE created_at < now() - interval '30 days' AND state <> 'pending'
     AND ${isSettled('webhook_deliveries.merchant_id')}`,
  `DELETE FROM webhook_outcomes WHERE hour_starts_at < now() - interval '4 days' AND ${ofSettledEndpoint}`,
  `DELETE FROM hourly_counts WHERE hour_starts_at < now() - interval '1 hour'`,
  `DELETE FROM data_captures WHERE updated_at < now() - interval '13 months'`,
  `DELETE FROM account_operations WHERE kind = 'export' AND ended_at < now() - interval '30 days'
     AND ${isSettled('account_operations.merchant_id')}`,
  `DELETE FROM store_notifications WHERE received_at < now() - interval '30 days'
     AND ${isSettled('store_notifications.merchant_id')}`,
  // Law keeps the buyers of invoices longer than their accounts.
  `DELETE FROM invoice_buyers b USING invoices i WHERE i.id = b.invoice_id AND is_outdated_invoice(i.issued_at)
     AND ${isSettled('i.merchant_id')}`,
  // A form or a client uploads an image before it names the image in a field. Only these fields keep an image. An image that
  // a transaction has locked, to name it, stays.
  `WITH named AS MATERIALIZED (
     SELECT merchant_id, right(url, 64) AS hash FROM (
       SELECT merchant_id, logo_url AS url FROM brands UNION ALL SELECT merchant_id, cover_photo_url FROM brands
       UNION ALL SELECT merchant_id, value FROM item_metadata WHERE name IN ('preview_image', 'paywall_cover_photo')
     ) urls WHERE url LIKE '%/images/%'
   ), unused AS (
     SELECT merchant_id, hash FROM images i WHERE i.uploaded_at < now() - interval '7 days'
       AND ${isSettled('i.merchant_id')}
       AND NOT EXISTS (SELECT FROM named n WHERE n.merchant_id = i.merchant_id AND n.hash = i.hash)
     FOR UPDATE OF i SKIP LOCKED
   ) DELETE FROM images i USING unused u WHERE u.merchant_id = i.merchant_id AND u.hash = i.hash`,
  `SELECT delete_outdated_audit_entries()`,
];

/** Deletes the rows whose time is over. Several replicas can do so concurrently. */
export async function deleteOutdated(): Promise<void> {
  for (const deletion of deletions) await deleteSlowly(deletion);
}

/** Has a long time limit, because the first deletion of a large installation can take minutes. */
async function deleteSlowly(deletion: string): Promise<void> {
  await transaction(async (inTransaction) => {
    await execute(inTransaction, `SET LOCAL statement_timeout = '15min'`);
    await execute(inTransaction, deletion);
  });
}

export function startRetention(): NodeJS.Timeout {
  return setInterval(() => {
    deleteOutdated().catch((error: Error) => logger.warn({ reason: error.message }, 'old rows were not deleted'));
  }, everyMs).unref();
}
