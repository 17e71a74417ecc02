import { type Transaction } from '../adapters/postgres/connection';
import { reportQuery } from '../adapters/postgres/reports';
import { statement } from '../adapters/postgres/statement';

export const movementKinds = [
  'new',
  'reactivation',
  'expansion',
  'contraction',
  'churn_voluntary',
  'churn_payment',
] as const;
export type MovementKind = (typeof movementKinds)[number];

/** A new line of the ledger: how a subscription counts after a transition. */
export interface NewMovement {
  subscriptionId: number;
  sequence: number;
  reason: string;
  mrrMinor: number;
  counts: boolean;
  /** The payment failed or was reversed, so the churn is involuntary. */
  isPaymentChurn: boolean;
  at: Date;
}

// The change is relative to the subscription's last line, so that the sum of all lines is the current value.
const insertStatement = statement(
  'mrr_movement',
  `INSERT INTO mrr_movements (merchant_id, subscription_id, sequence, kind, reason, item_id, access_fee_id, currency,
     amount_minor, mrr_minor, counts, subscriptions, cohort, happened_at)
   SELECT s.merchant_id, s.id, $2,
     CASE WHEN $5 AND NOT b.counts THEN CASE WHEN b.has_counted OR EXISTS (
         SELECT FROM subscriptions o JOIN mrr_movements m ON m.subscription_id = o.id
         WHERE o.account_id = s.account_id AND o.item_id = s.item_id) OR EXISTS (
         SELECT FROM store_purchases o JOIN mrr_movements m ON m.store_purchase_id = o.id
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

/** The monthly revenue of a store purchase, by its latest entry in the ledger. */
export interface LastLine {
  counts: boolean;
  mrrMinor: number;
  currency: string;
}

const lastStatement = statement<LastLine>(
  'mrr_movement_of_store_last',
  `SELECT counts, mrr_minor AS "mrrMinor", currency FROM mrr_movements WHERE store_purchase_id = $1
   ORDER BY sequence DESC LIMIT 1`,
);

export async function findLastLine(inTransaction: Transaction, storePurchaseId: number): Promise<LastLine | undefined> {
  const [last] = await lastStatement([storePurchaseId], inTransaction);
  return last;
}

export interface NewStoreMovement {
  storePurchaseId: number;
  /** Absent: the subscription begins to count, for the first time or again. */
  kind?: MovementKind | undefined;
  reason: string;
  currency: string;
  amountMinor: number;
  mrrMinor: number;
  counts: boolean;
  subscriptions: -1 | 0 | 1;
  at: Date;
}

// The caller holds the lock of the purchase's row, so lines are inserted one after another.
const insertOfStoreStatement = statement(
  'mrr_movement_of_store',
  `INSERT INTO mrr_movements (merchant_id, store_purchase_id, sequence, kind, reason, item_id, access_fee_id, currency,
     amount_minor, mrr_minor, counts, subscriptions, cohort, happened_at)
   SELECT p.merchant_id, p.id, coalesce(l.sequence, 0) + 1,
     coalesce($2::text, CASE WHEN l.sequence IS NOT NULL OR EXISTS (
       SELECT FROM subscriptions o JOIN mrr_movements m ON m.subscription_id = o.id
       WHERE o.account_id = p.account_id AND o.item_id = p.item_id) OR EXISTS (
       SELECT FROM store_purchases o JOIN mrr_movements m ON m.store_purchase_id = o.id
       WHERE o.account_id = p.account_id AND o.item_id = p.item_id) THEN 'reactivation' ELSE 'new' END),
     $3, p.item_id, p.access_fee_id, $4, $5, $6, $7, $8,
     coalesce(l.cohort, date_trunc('month', $9::timestamptz AT TIME ZONE 'UTC')::date), $9
   FROM store_purchases p LEFT JOIN LATERAL (
     SELECT sequence, cohort FROM mrr_movements WHERE store_purchase_id = p.id ORDER BY sequence DESC LIMIT 1) l ON true
   WHERE p.id = $1`,
);

export async function insertStoreMovement(inTransaction: Transaction, movement: NewStoreMovement): Promise<void> {
  const { storePurchaseId, kind, reason, currency, amountMinor, mrrMinor, counts, subscriptions, at } = movement;
  const values = [storePurchaseId, kind ?? null, reason, currency, amountMinor, mrrMinor, counts, subscriptions, at];
  await insertOfStoreStatement(values, inTransaction);
}

/** A transition of a subscription that reports count. */
export type StepKind =
  | 'trial_started'
  | 'trial_converted'
  | 'trial_lost'
  | 'renewed'
  | 'dunning_failed'
  | 'dunning_recovered'
  | 'dunning_lost';

/** A line of the ledger with the objects it refers to. */
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
  /** The change in the number of paying customers. */
  customers: number;
  cohort: string;
  at: Date;
  /** To the microsecond, as stored. */
  exactAt: string;
}

/** The filter of the ledger. `to` is exclusive. */
export interface LedgerFilter {
  merchantId: number;
  from?: Date | undefined;
  to?: Date | undefined;
  kinds?: readonly MovementKind[] | undefined;
  /** Only the first movements of subscriptions, or only later ones. */
  isFirst?: boolean | undefined;
  /** Only the lines with which a customer was gained or lost, or only the others. */
  changesCustomers?: boolean | undefined;
  currency?: string | undefined;
  itemId?: number | undefined;
  countryIso?: string | undefined;
  cohort?: string | undefined;
  subscriptionToken?: string | undefined;
  accountId?: number | undefined;
}

const wanted = `FROM mrr_movements m LEFT JOIN subscriptions s ON s.id = m.subscription_id
  LEFT JOIN store_purchases o ON o.id = m.store_purchase_id
  WHERE m.merchant_id = $1 AND ($2::timestamptz IS NULL OR m.happened_at >= $2)
    AND ($3::timestamptz IS NULL OR m.happened_at < $3) AND ($4::text[] IS NULL OR m.kind = ANY($4))
    AND ($5::text IS NULL OR m.currency = $5) AND ($6::int IS NULL OR m.item_id = $6)
    AND ($7::text IS NULL OR coalesce(s.country_iso, o.country_iso, '') = $7) AND ($8::date IS NULL OR m.cohort = $8)
    AND ($9::text IS NULL OR coalesce(s.token, o.token) = $9)
    AND ($10::int IS NULL OR coalesce(s.account_id, o.account_id) = $10)
    AND ($11::boolean IS NULL OR m.is_first = $11) AND ($12::boolean IS NULL OR (m.customers <> 0) = $12)`;

function valuesOf(filter: LedgerFilter): unknown[] {
  const { merchantId, from, to, kinds, currency, itemId, countryIso, cohort, subscriptionToken, accountId } = filter;
  const day = cohort === undefined ? undefined : `${cohort}-01`;
  const asked = [merchantId, from, to, kinds, currency, itemId, countryIso, day, subscriptionToken, accountId];
  return [...asked, filter.isFirst, filter.changesCustomers].map((value) => value ?? null);
}

/** A position in the list: the next page starts after this instant and id. */
export interface MovementCursor {
  at: string;
  id: number;
}

export interface MovementPage {
  limit: number;
  offset?: number;
  after?: MovementCursor | undefined;
}

/** Newest first. */
export function selectMovements(
  filter: LedgerFilter,
  { limit, offset = 0, after }: MovementPage,
): Promise<MovementRow[]> {
  return reportQuery<MovementRow>(
    `SELECT m.id, m.kind, m.reason, m.token AS "subscriptionToken", m.account_id AS "accountId", a.email,
       m.item_id AS "itemId", i.title AS "itemTitle", m.access_fee_id AS "accessFeeId", m.country_iso AS "countryIso",
       m.currency, m.amount_minor AS "amountMinor", m.mrr_minor AS "mrrMinor", m.subscriptions, m.customers,
       to_char(m.cohort, 'YYYY-MM') AS cohort, m.happened_at AS at, m.happened_at::text AS "exactAt"
     FROM (SELECT m.*, coalesce(s.token, o.token) AS token, coalesce(s.account_id, o.account_id) AS account_id,
         coalesce(s.country_iso, o.country_iso, '') AS country_iso ${wanted}
         AND ($15::timestamptz IS NULL OR (m.happened_at, m.id) < ($15, $16::bigint))
       ORDER BY m.happened_at DESC, m.id DESC LIMIT $13 OFFSET $14) m
     JOIN accounts a ON a.id = m.account_id JOIN items i ON i.id = m.item_id ORDER BY m.happened_at DESC, m.id DESC`,
    [...valuesOf(filter), limit, offset, after?.at ?? null, after?.id ?? null],
  );
}

export interface LedgerSum {
  currency: string;
  count: number;
  amountMinor: number;
  /** The changes in the number of counted subscriptions and of paying customers. */
  subscriptions: number;
  customers: number;
}

/** The number of lines and their sums, by currency. */
export function sumMovements(filter: LedgerFilter): Promise<LedgerSum[]> {
  return reportQuery<LedgerSum>(
    `SELECT m.currency, count(*)::int AS count, sum(m.amount_minor)::bigint AS "amountMinor",
       sum(m.subscriptions)::int AS subscriptions, sum(m.customers)::int AS customers ${wanted}
     GROUP BY m.currency ORDER BY m.currency`,
    valuesOf(filter),
  );
}
