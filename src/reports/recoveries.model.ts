import { reportQuery } from '../adapters/postgres/reports';

/** The failed renewals that one measure recovered, in one currency. */
export interface Recovery {
  measure: 'automatic_retry' | 'card_updater' | 'mail_link' | 'confirmation' | 'new_card' | 'portal' | 'merchant';
  currency: string;
  count: number;
  amountMinor: number;
}

/**
 * The recoveries of a range of days, whose end is exclusive. The id of the request names the measure where a rule made it.
 * `confirmation`: the payer confirmed the charge at the bank. `new_card`: another card than the declined one paid.
 */
export function sumRecoveries(
  merchantId: number,
  { from, end, currency }: { from: string; end: string; currency: string | undefined },
): Promise<Recovery[]> {
  const text = `SELECT measure, currency, count(*)::int AS count, sum(amount_minor)::bigint AS "amountMinor" FROM (
     SELECT e.amount_minor, s.currency, CASE
       WHEN e.request_id LIKE 'cardUpdate:%' THEN 'card_updater'
       WHEN e.request_id LIKE 'mailLink:%' THEN 'mail_link'
       WHEN paid.asked_at IS NOT NULL THEN 'confirmation'
       WHEN declined.card_id <> paid.card_id THEN 'new_card'
       WHEN e.actor = 'workflow' THEN 'automatic_retry'
       WHEN e.actor = 'account:' || s.account_id AND e.acted_by IS NULL THEN 'portal'
       ELSE 'merchant' END AS measure
     FROM subscription_events e JOIN subscriptions s ON s.id = e.subscription_id
       LEFT JOIN LATERAL (SELECT c.cycle, c.attempt, c.card_id, c.asked_at FROM charges c
         WHERE c.subscription_id = s.id AND c.status = 'paid' AND c.settled_at <= e.created_at + interval '1 minute'
         ORDER BY c.cycle DESC LIMIT 1) paid ON true
       LEFT JOIN LATERAL (SELECT c.card_id FROM charges c WHERE c.subscription_id = s.id AND c.status = 'declined'
         AND c.cycle = paid.cycle AND c.attempt < paid.attempt ORDER BY c.attempt DESC LIMIT 1) declined ON true
     WHERE e.merchant_id = $1 AND e.reason = 'recovered' AND e.created_at >= $2::timestamp AT TIME ZONE 'UTC'
       AND e.created_at < $3::timestamp AT TIME ZONE 'UTC' AND ($4::text IS NULL OR s.currency = $4)
   ) r GROUP BY measure, currency ORDER BY currency, sum(amount_minor) DESC, measure`;
  return reportQuery<Recovery>(text, [merchantId, from, end, currency ?? null]);
}
