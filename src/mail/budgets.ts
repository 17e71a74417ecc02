import { query, statement } from '../adapters/postgres/statement';
import { mailBudgetSteps } from '../adapters/settings';
import { type MailBudget } from './mail.model';

/** Days of which a merchant's refused mails are compared with its counted ones. */
const standingDays = 7;
const toleratedRefusals = 10;
const toleratedPercent = 5;

const today = `(now() AT TIME ZONE 'UTC')::date`;
const startOfDayAfter = (day: string) => `((${day} + 1)::timestamp AT TIME ZONE 'UTC')`;

/** The followers of a merchant use its budget. */
const senderOf = (merchant: string) =>
  `coalesce((SELECT master_id FROM follower_relations WHERE follower_id = ${merchant}), ${merchant})`;

/** The account's address, or one that it had before. A customer can request a mail to any other address. */
const isProved = (
  mail: string,
) => `EXISTS (SELECT FROM accounts r WHERE r.id = ${mail}.account_id AND r.activated_at IS NOT NULL
  AND (r.email = ${mail}.recipient OR EXISTS (SELECT FROM email_changes c
    WHERE c.account_id = r.id AND c.confirmed_at IS NOT NULL AND c.former_email = ${mail}.recipient)))`;

/** Mails to the merchant itself, and security mails to a mailbox that its owner has proved, are always sent. */
const isCounted = (mail: string) =>
  `(${mail}.account_id IS DISTINCT FROM ${mail}.merchant_id AND NOT (${mail}.is_urgent AND ${isProved(mail)}))`;

/** How many of a sender's mails mail servers have refused lately, and how many were counted. */
const standing = (sender: string) => `SELECT coalesce(sum(refused), 0)::int AS refused_lately,
    coalesce(sum(refused), 0) < ${toleratedRefusals}
      OR sum(refused) * 100 <= sum(ordinary + security) * ${toleratedPercent} AS is_good
  FROM mail_uses WHERE merchant_id = ${sender} AND day > ${today} - ${standingDays}`;

/**
 * The mails a day of a sender. Its age counts from its registration, its approval or the end of its suspension, whichever is last.
 */
const budget = (
  sender: string,
  days: string,
  limits: string,
) => `SELECT max(step.most) AS most, g.refused_lately, g.is_good
  FROM (${standing(sender)}) g
    CROSS JOIN (SELECT greatest(a.created_at, s.updated_at) AS since FROM accounts a
      LEFT JOIN merchant_states s ON s.merchant_id = a.id WHERE a.id = ${sender}) age
    JOIN unnest(${days}::int[], ${limits}::int[]) AS step (days, most)
      ON step.days = 0 OR g.is_good AND age.since <= now() - make_interval(days => step.days)
  GROUP BY g.refused_lately, g.is_good`;

const steps = [mailBudgetSteps.map(({ days }) => days), mailBudgetSteps.map(({ mails }) => mails)];

const isCountedStatement = statement<{ counts: boolean }>(
  'mail_counts',
  `SELECT ${isCounted('m')} AS counts FROM mails m WHERE id = $1`,
);
const admitStatement = statement<{ day: string; isAdmitted: boolean }>(
  'mail_admit',
  `WITH mail AS (SELECT id, is_urgent, ${senderOf('merchant_id')} AS sender FROM mails WHERE id = $1),
     used AS (
       INSERT INTO mail_uses AS u (merchant_id, day, ordinary, security)
       SELECT sender, ${today}, (NOT is_urgent)::int, is_urgent::int FROM mail
       ON CONFLICT (merchant_id, day) DO UPDATE
         SET ordinary = u.ordinary + excluded.ordinary, security = u.security + excluded.security
         WHERE CASE WHEN excluded.security > 0 THEN u.security ELSE u.ordinary END
           < (SELECT b.most FROM mail CROSS JOIN LATERAL (${budget('mail.sender', '$2', '$3')}) b)
       RETURNING merchant_id),
     admitted AS (UPDATE mails SET admitted_at = now() WHERE id = $1 AND EXISTS (SELECT FROM used) RETURNING id)
   SELECT ${today}::text AS day, EXISTS (SELECT FROM admitted) AS "isAdmitted"`,
);
const postponedAtOnce = 5_000;
// The other due mails of the sender are postponed as well, so that thousands of them delay nobody else's mails.
const postponeStatement = statement(
  'mail_postpone',
  `WITH mail AS (SELECT is_urgent, ${senderOf('merchant_id')} AS sender FROM mails WHERE id = $1)
   UPDATE mails SET available_at = ${startOfDayAfter('$2::date')}, is_postponed = true,
     useful_until = useful_until + greatest(${startOfDayAfter('$2::date')} - now(), interval '0')
   WHERE id = $1 OR id IN (
     SELECT m.id FROM mails m JOIN mail ON mail.is_urgent = m.is_urgent
     WHERE m.sent_at IS NULL AND m.parked_at IS NULL AND m.available_at <= now() AND m.admitted_at IS NULL
       AND m.merchant_id IN (SELECT mail.sender UNION ALL
         SELECT follower_id FROM follower_relations WHERE master_id = mail.sender)
       AND (m.not_before IS NULL OR m.not_before <= merchant_now(m.merchant_id)) AND ${isCounted('m')}
     LIMIT ${postponedAtOnce} FOR UPDATE OF m SKIP LOCKED)`,
);
const refusedStatement = statement(
  'mail_refused',
  `INSERT INTO mail_uses AS u (merchant_id, day, refused)
   SELECT ${senderOf('merchant_id')}, ${today}, 1 FROM mails WHERE id = $1 AND admitted_at IS NOT NULL
   ON CONFLICT (merchant_id, day) DO UPDATE SET refused = u.refused + 1`,
);

/** Counts the mail in the budget of this UTC day. If the budget is used up, the mail waits for the next day. */
export async function admitMail(mailId: number): Promise<boolean> {
  const [found] = await isCountedStatement([mailId]);
  if (!found?.counts) return true;
  const [admission] = await admitStatement([mailId, ...steps]);
  if (admission?.isAdmitted) return true;
  if (admission) await postponeMails(mailId, admission.day);
  return false;
}

/**
 * The mail, and others of its sender that are due, wait until the day after `usedUpDay` (YYYY-MM-DD, UTC). The day is
 * the one of the refusal: if midnight has passed since then, the mails are due now and use the budget of the new day.
 */
export async function postponeMails(mailId: number, usedUpDay: string): Promise<void> {
  await postponeStatement([mailId, usedUpDay]);
}

/** A mail server has refused the mail for good. Many of these reduce the budget. */
export async function countRefusal(mailId: number): Promise<void> {
  await refusedStatement([mailId]);
}

/** The budgets of merchants on this UTC day, by the id of each merchant. */
export async function readBudgets(merchantIds: readonly number[]): Promise<Map<number, MailBudget>> {
  const rows = await query<MailBudget & { merchantId: number }>(
    `SELECT m.id AS "merchantId", sender.id AS "senderId", b.most AS limit, coalesce(u.ordinary, 0) AS used,
       coalesce(u.security, 0) AS "securityUsed", b.refused_lately AS "refusedLately", b.is_good AS "isGood",
       (SELECT count(*)::int FROM mails w WHERE w.merchant_id = m.id AND w.sent_at IS NULL AND w.parked_at IS NULL
          AND w.is_postponed AND w.admitted_at IS NULL) AS waiting
     FROM unnest($1::int[]) AS m (id)
       CROSS JOIN LATERAL (SELECT ${senderOf('m.id')} AS id) AS sender
       CROSS JOIN LATERAL (${budget('sender.id', '$2', '$3')}) AS b
       LEFT JOIN mail_uses u ON u.merchant_id = sender.id AND u.day = ${today}`,
    [merchantIds, ...steps],
  );
  return new Map(rows.map(({ merchantId, ...budgetOfDay }) => [merchantId, budgetOfDay]));
}
