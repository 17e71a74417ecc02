import { type Transaction } from '../../adapters/postgres/connection';
import { query, statement } from '../../adapters/postgres/statement';

export const movementKinds = [
  'new',
  'reactivation',
  'expansion',
  'contraction',
  'churn_voluntary',
  'churn_payment',
] as const;
export type MovementKind = (typeof movementKinds)[number];

/** A line of the ledger as it is written: how a subscription counts after a step of its life. */
export interface NewMovement {
  subscriptionId: number;
  sequence: number;
  reason: string;
  mrrMinor: number;
  counts: boolean;
  /** The money did not come, or was taken back: what ends so is not by wish. */
  isPaymentChurn: boolean;
  at: Date;
}

// The change is to what the ledger says last, so that its sum is what it says.
const insertStatement = statement(
  'mrr_movement',
  `INSERT INTO mrr_movements (merchant_id, subscription_id, sequence, kind, reason, item_id, access_fee_id, currency,
     amount_minor, mrr_minor, counts, subscriptions, cohort, happened_at)
   SELECT s.merchant_id, s.id, $2,
     CASE WHEN $5 AND NOT b.counts THEN CASE WHEN b.has_counted OR EXISTS (
         SELECT FROM subscriptions o JOIN mrr_movements m ON m.subscription_id = o.id
         WHERE o.account_id = s.account_id AND o.item_id = s.item_id) THEN 'reactivation' ELSE 'new' END
       WHEN b.counts AND NOT $5 THEN CASE WHEN $6 THEN 'churn_payment' ELSE 'churn_voluntary' END
       WHEN $4::bigint > b.mrr_minor THEN 'expansion' ELSE 'contraction' END,
     $3, s.item_id, s.access_fee_id, s.currency, $4::bigint - b.mrr_minor, $4, $5, $5::int - b.counts::int,
     coalesce(b.cohort, date_trunc('month', $7::timestamptz AT TIME ZONE 'UTC')::date), $7
   FROM subscriptions s CROSS JOIN LATERAL (
     SELECT coalesce(l.counts, false) AS counts, coalesce(l.mrr_minor, 0) AS mrr_minor, l.cohort,
       l.id IS NOT NULL AS has_counted
     FROM (SELECT 1) one LEFT JOIN (
       SELECT * FROM mrr_movements WHERE subscription_id = s.id ORDER BY sequence DESC LIMIT 1) l ON true
   ) b
   WHERE s.id = $1 AND (b.counts, b.mrr_minor) IS DISTINCT FROM ($5::boolean, $4::bigint)`,
);

export async function insertMovement(inTransaction: Transaction, movement: NewMovement): Promise<void> {
  const { subscriptionId, sequence, reason, mrrMinor, counts, isPaymentChurn, at } = movement;
  await insertStatement([subscriptionId, sequence, reason, mrrMinor, counts, isPaymentChurn, at], inTransaction);
}

/** A line of the ledger with what it is about. */
export interface MovementRow {
  id: number;
  kind: MovementKind;
  reason: string;
  subscriptionToken: string;
  accountId: number;
  email: string;
  itemId: number;
  itemTitle: string;
  accessFeeId: number;
  countryIso: string;
  currency: string;
  amountMinor: number;
  mrrMinor: number;
  subscriptions: number;
  cohort: string;
  at: Date;
}

/** What is wanted of the ledger; `to` is not in it any more. */
export interface LedgerFilter {
  merchantId: number;
  from?: Date | undefined;
  to?: Date | undefined;
  kinds?: readonly MovementKind[] | undefined;
  currency?: string | undefined;
  itemId?: number | undefined;
  countryIso?: string | undefined;
  cohort?: string | undefined;
  subscriptionToken?: string | undefined;
  accountId?: number | undefined;
}

const wanted = `FROM mrr_movements m JOIN subscriptions s ON s.id = m.subscription_id
  WHERE m.merchant_id = $1 AND ($2::timestamptz IS NULL OR m.happened_at >= $2)
    AND ($3::timestamptz IS NULL OR m.happened_at < $3) AND ($4::text[] IS NULL OR m.kind = ANY($4))
    AND ($5::text IS NULL OR m.currency = $5) AND ($6::int IS NULL OR m.item_id = $6)
    AND ($7::text IS NULL OR s.country_iso = $7) AND ($8::date IS NULL OR m.cohort = $8)
    AND ($9::text IS NULL OR s.token = $9) AND ($10::int IS NULL OR s.account_id = $10)`;

function valuesOf(filter: LedgerFilter): unknown[] {
  const { merchantId, from, to, kinds, currency, itemId, countryIso, cohort, subscriptionToken, accountId } = filter;
  const day = cohort === undefined ? undefined : `${cohort}-01`;
  return [merchantId, from, to, kinds, currency, itemId, countryIso, day, subscriptionToken, accountId].map(
    (value) => value ?? null,
  );
}

/** Newest first. */
export function selectMovements(filter: LedgerFilter, limit: number, offset: number): Promise<MovementRow[]> {
  return query<MovementRow>(
    `SELECT m.id, m.kind, m.reason, s.token AS "subscriptionToken", s.account_id AS "accountId", a.email,
       m.item_id AS "itemId", i.title AS "itemTitle", m.access_fee_id AS "accessFeeId", s.country_iso AS "countryIso",
       m.currency, m.amount_minor AS "amountMinor", m.mrr_minor AS "mrrMinor", m.subscriptions,
       to_char(m.cohort, 'YYYY-MM') AS cohort, m.happened_at AS at
     FROM (SELECT m.*, s.token, s.account_id, s.country_iso ${wanted} ORDER BY m.happened_at DESC, m.id DESC
       LIMIT $11 OFFSET $12) m
     JOIN subscriptions s ON s.id = m.subscription_id JOIN accounts a ON a.id = s.account_id
     JOIN items i ON i.id = m.item_id ORDER BY m.happened_at DESC, m.id DESC`,
    [...valuesOf(filter), limit, offset],
  );
}

export interface LedgerSum {
  currency: string;
  count: number;
  amountMinor: number;
}

/** How many lines there are, and what they come to, by currency. */
export function sumMovements(filter: LedgerFilter): Promise<LedgerSum[]> {
  return query<LedgerSum>(
    `SELECT m.currency, count(*)::int AS count, sum(m.amount_minor)::bigint AS "amountMinor" ${wanted}
     GROUP BY m.currency ORDER BY m.currency`,
    valuesOf(filter),
  );
}
