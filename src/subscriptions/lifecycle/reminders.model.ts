import { type Transaction } from '../../adapters/postgres/connection';
import { isHere } from '../../adapters/postgres/moving';
import { execute, statement } from '../../adapters/postgres/statement';

/** A reminder that a subscription has to get now. */
export interface DueReminder {
  subscriptionId: number;
  kind: 'card_expires' | 'renewal';
  /** The subject of the reminder: the card with its expiry and the days before it, or the end of the period. */
  about: string;
  email: string;
  description: string;
  lastFour: string;
  /** The last day of the card, or the day of the renewal. */
  at: Date;
}

// A card is valid until the end of its month. A replaced card has another id or another expiry. Each reminder is stored
// under its subject, so a reminder with another date is a new one.
const dueStatement = statement<DueReminder>(
  'subscription_reminders_due',
  `WITH renewing AS (
     SELECT s.id, s.merchant_id, s.account_id, s.access_fee_id, s.card_id, s.current_period_end, s.state,
       merchant_now(s.merchant_id) AS now, coalesce(m.card_expiry_reminders, true) AS of_cards,
       coalesce(m.renewal_reminder_days, 0) AS days
     FROM subscriptions s LEFT JOIN merchant_settings m ON m.merchant_id = s.merchant_id
     WHERE s.state IN ('active', 'trialing') AND s.auto_renew AND s.deferred_at IS NULL AND s.id > $1
       AND ${isHere('s.merchant_id')}
   ), expiring AS (
     SELECT r.id, r.account_id, r.access_fee_id, r.now, c.id AS card_id, c.last_four,
       CASE WHEN c.expiry_year BETWEEN 2000 AND 9999 AND c.expiry_month BETWEEN 1 AND 12
         THEN make_timestamptz(c.expiry_year, c.expiry_month, 1, 0, 0, 0, 'UTC') + interval '1 month' END AS expires_at
     FROM renewing r JOIN cards c ON c.id = r.card_id WHERE r.of_cards
   ), due AS (
     SELECT id, account_id, access_fee_id, 'card_expires' AS kind, last_four, expires_at - interval '1 day' AS at,
       concat_ws(':', card_id, to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM'),
         CASE WHEN expires_at - now <= interval '7 days' THEN 7 ELSE 30 END) AS about
     FROM expiring WHERE expires_at > now AND expires_at - now <= interval '30 days'
     UNION ALL
     SELECT id, account_id, access_fee_id, 'renewal', '', current_period_end, current_period_end::text
     FROM renewing WHERE state = 'active' AND days > 0 AND current_period_end > now
       AND current_period_end - now <= make_interval(days => days)
   )
   SELECT due.id AS "subscriptionId", due.kind, due.about, a.email, f.description, due.last_four AS "lastFour", due.at
   FROM due JOIN accounts a ON a.id = due.account_id AND a.erasing_at IS NULL
     JOIN access_fees f ON f.id = due.access_fee_id
   WHERE NOT EXISTS (SELECT FROM subscription_reminders r
     WHERE (r.subscription_id, r.kind, r.about) = (due.id, due.kind, due.about))
   ORDER BY due.id, due.kind LIMIT $2`,
);

/** The reminders that are due and were not sent, in the order of the subscriptions. */
export const listDueReminders = (afterSubscriptionId: number, limit: number) =>
  dueStatement([afterSubscriptionId, limit]);

/** False if the reminder was sent already. */
export async function noteReminder(
  inTransaction: Transaction,
  { subscriptionId, kind, about }: DueReminder,
): Promise<boolean> {
  const noted = await execute(
    inTransaction,
    `INSERT INTO subscription_reminders (merchant_id, subscription_id, kind, about)
     SELECT merchant_id, id, $2, $3 FROM subscriptions WHERE id = $1 ON CONFLICT DO NOTHING RETURNING subscription_id`,
    [subscriptionId, kind, about],
  );
  return noted.length > 0;
}
