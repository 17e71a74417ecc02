import { reportQuery } from '../adapters/postgres/reports';
import { type StepKind, type MovementPage } from '../ledger/ledger.model';
import { shownReason } from '../subscriptions/transitions.model';

/** The filter of rows; `to` is exclusive. Absent fields do not filter. */
interface RowFilter {
  merchantId: number;
  from?: Date | undefined;
  to?: Date | undefined;
  currency?: string | undefined;
  itemId?: number | undefined;
  accountId?: number | undefined;
}

export type MoneyType = 'charge' | 'refund' | 'chargeback';
export type PaymentMethod = 'card' | 'none' | 'apple' | 'google-play' | 'amazon' | 'roku';

export interface TransactionFilter extends RowFilter {
  type?: MoneyType | undefined;
  accessFeeId?: number | undefined;
  countryIso?: string | undefined;
  paymentMethod?: PaymentMethod | undefined;
  voucherCode?: string | undefined;
  kind?: 'subscription' | 'one_time' | undefined;
}

export interface TransactionRow {
  id: number;
  type: MoneyType;
  kind: 'subscription' | 'one_time';
  trxToken: string;
  transactionToken: string;
  accountId: number;
  email: string;
  itemId: number;
  itemTitle: string;
  accessFeeId: number;
  paymentMethod: PaymentMethod;
  voucherCode: string;
  countryIso: string;
  currency: string;
  /** Negative for a refund or a chargeback. */
  amountMinor: number;
  /** The store did not report an amount, so the fee's price is used. */
  isAmountAssumed: boolean;
  at: Date;
  /** The time in microseconds, as stored. */
  exactAt: string;
}

const within = (at: string) => `($2::timestamptz IS NULL OR ${at} >= $2) AND ($3::timestamptz IS NULL OR ${at} < $3)`;
const isAsked = (type: MoneyType) => `coalesce($4, '${type}') = '${type}'`;

// Charges have even ids and refunds odd ids, as in the histories. Rows of stores and chargebacks have negative ids.
// Each branch is read along its own index.
const money = `
  SELECT 2 * c.id AS id, 'charge' AS type, c.settled_at AS at, NULL::text AS token, c.account_id, c.currency, c.amount_minor,
    c.subscription_id, c.payment_id, NULL::int AS store_purchase_id, NULL::int AS item_id, c.access_fee_id,
    c.card_id, c.trx_token, false AS is_amount_assumed
  FROM charges c WHERE c.merchant_id = $1 AND c.status = 'paid' AND c.amount_minor > 0 AND ${isAsked('charge')}
    AND ${within('c.settled_at')}
  UNION ALL
  SELECT 2 * r.id + 1, 'refund', r.settled_at, r.token, r.account_id, r.currency, -r.amount_minor, c.subscription_id,
    c.payment_id, NULL, NULL, c.access_fee_id, c.card_id, c.trx_token, false
  FROM refunds r JOIN charges c ON c.id = r.charge_id
  WHERE r.merchant_id = $1 AND r.state = 'refunded' AND ${isAsked('refund')} AND ${within('r.settled_at')}
  UNION ALL
  SELECT -4 * x.id, 'charge', x.paid_at, NULL, x.account_id, x.currency, x.amount_minor, NULL, NULL, x.store_purchase_id,
    x.item_id, x.access_fee_id, NULL, x.transaction_id, x.is_amount_assumed
  FROM store_payments x WHERE x.merchant_id = $1 AND NOT x.is_trial AND x.amount_minor > 0 AND ${isAsked('charge')}
    AND ${within('x.paid_at')}
  UNION ALL
  SELECT -4 * x.id - 1, 'refund', x.refunded_at, NULL, x.account_id, x.currency, -x.amount_minor, NULL, NULL,
    x.store_purchase_id, x.item_id, x.access_fee_id, NULL, x.transaction_id, x.is_amount_assumed
  FROM store_payments x WHERE x.merchant_id = $1 AND x.refunded_at IS NOT NULL AND NOT x.is_trial AND x.amount_minor > 0
    AND ${isAsked('refund')} AND ${within('x.refunded_at')}
  UNION ALL
  SELECT -4 * c.id - 2, 'chargeback', d.opened_at, NULL, c.account_id, d.currency, -d.amount_minor, c.subscription_id,
    c.payment_id, NULL, NULL, c.access_fee_id, c.card_id, c.trx_token, false
  FROM disputes d JOIN charges c ON c.id = d.charge_id
  WHERE d.merchant_id = $1 AND NOT d.is_won AND ${isAsked('chargeback')} AND ${within('d.opened_at')}`;

const itemOf = 'coalesce(s.item_id, p.item_id, m.item_id)';
const feeOf = 'm.access_fee_id';
const countryOf = `coalesce(s.country_iso, p.country_iso, o.country_iso, '')`;
const methodOf = `coalesce(o.store, CASE WHEN m.card_id IS NULL THEN 'none' ELSE 'card' END)`;
const voucherOf = `coalesce(s.voucher_code, p.voucher_code, '')`;
const kindOf = `coalesce(o.kind, CASE WHEN s.id IS NULL THEN 'one_time' ELSE 'subscription' END)`;

const wantedMoney = `FROM (${money}) m
  LEFT JOIN subscriptions s ON s.id = m.subscription_id LEFT JOIN payments p ON p.id = m.payment_id
  LEFT JOIN store_purchases o ON o.id = m.store_purchase_id
  WHERE (o.id IS NULL OR o.counts_money) AND ($5::text IS NULL OR m.currency = $5)
    AND ($6::int IS NULL OR ${itemOf} = $6) AND ($7::int IS NULL OR m.account_id = $7)
    AND ($8::int IS NULL OR ${feeOf} = $8) AND ($9::text IS NULL OR ${countryOf} = $9)
    AND ($10::text IS NULL OR ${methodOf} = $10) AND ($11::text IS NULL OR ${voucherOf} = $11)
    AND ($12::text IS NULL OR ${kindOf} = $12)`;

function moneyValues(filter: TransactionFilter): unknown[] {
  const { merchantId, from, to, type, currency, itemId, accountId, accessFeeId, countryIso } = filter;
  const { paymentMethod, voucherCode, kind } = filter;
  const asked = [merchantId, from, to, type, currency, itemId, accountId, accessFeeId, countryIso];
  return [...asked, paymentMethod, voucherCode, kind].map((value) => value ?? null);
}

/** Selects transactions, newest first. `after` continues after a part. */
export function selectTransactions(
  filter: TransactionFilter,
  { limit, offset = 0, after }: MovementPage,
): Promise<TransactionRow[]> {
  return reportQuery<TransactionRow>(
    `SELECT w.id, w.type, w.kind, coalesce(w.token, w.trx_token) AS "trxToken", w.purchase_token AS "transactionToken",
       w.account_id AS "accountId", a.email, w.item_id AS "itemId", i.title AS "itemTitle",
       w.access_fee_id AS "accessFeeId", w.method AS "paymentMethod",
       w.voucher_code AS "voucherCode", w.country_iso AS "countryIso", w.currency, w.amount_minor AS "amountMinor",
       w.is_amount_assumed AS "isAmountAssumed", w.at,
       w.at::text AS "exactAt"
     FROM (
       SELECT m.id, m.type, m.at, m.token, m.trx_token, m.account_id, m.currency, m.amount_minor,
         m.is_amount_assumed, coalesce(s.token, p.token, o.token) AS purchase_token, ${itemOf} AS item_id, ${feeOf} AS access_fee_id,
         ${voucherOf} AS voucher_code, ${countryOf} AS country_iso, ${methodOf} AS method, ${kindOf} AS kind
       ${wantedMoney} AND ($15::timestamptz IS NULL OR (m.at, m.id) < ($15, $16::bigint))
       ORDER BY m.at DESC, m.id DESC LIMIT $13 OFFSET $14
     ) w
     JOIN accounts a ON a.id = w.account_id JOIN items i ON i.id = w.item_id ORDER BY w.at DESC, w.id DESC`,
    [...moneyValues(filter), limit, offset, after?.at ?? null, after?.id ?? null],
  );
}

export interface MoneySum {
  currency: string;
  count: number;
  amountMinor: number;
}

export function sumTransactions(filter: TransactionFilter): Promise<MoneySum[]> {
  return reportQuery<MoneySum>(
    `SELECT m.currency, count(*)::int AS count, sum(m.amount_minor)::bigint AS "amountMinor" ${wantedMoney}
     GROUP BY m.currency ORDER BY m.currency`,
    moneyValues(filter),
  );
}

export interface TransitionRow {
  id: number;
  subscriptionToken: string;
  accountId: number;
  email: string;
  itemId: number;
  itemTitle: string;
  currency: string;
  fromState: string | null;
  toState: string;
  reason: string;
  amountMinor: number;
  workflowRunId: string | null;
  at: Date;
  exactAt: string;
}

export interface TransitionFilter extends RowFilter {
  what?: readonly StepKind[] | undefined;
  state?: string | undefined;
}

const ended = `e.to_state IN ('canceled', 'expired', 'revoked')`;
const lines = 'SELECT FROM mrr_movements m WHERE m.subscription_id = e.subscription_id';

/** The same conditions as in the statements of the figures. */
const conditions: Record<StepKind, string> = {
  trial_started: `e.from_state = 'incomplete' AND e.to_state = 'trialing'`,
  trial_converted: `s.trial_start IS NOT NULL AND EXISTS (${lines} AND m.sequence = e.sequence)
    AND NOT EXISTS (${lines} AND m.sequence < e.sequence)`,
  trial_lost: `s.trial_start IS NOT NULL AND ${ended} AND NOT EXISTS (${lines} AND m.sequence <= e.sequence)
    AND e.from_state <> e.to_state`,
  renewed: `e.reason IN ('paid', 'recovered') AND EXISTS (${lines} AND m.sequence < e.sequence)`,
  dunning_failed: `e.from_state <> 'past_due' AND e.to_state = 'past_due'`,
  dunning_recovered: `e.reason = 'recovered'`,
  dunning_lost: `e.from_state IN ('past_due', 'on_hold') AND ${ended}`,
};

const isAnyOf = (what: readonly StepKind[]) => what.map((each) => `(${conditions[each]})`).join(' OR ');

/** The change in the number of subscriptions in the requested state (`$7`). */
const changeOf = (entered: string, left: string) =>
  `coalesce((${entered})::int, 0) - coalesce((${left})::int, 0) AS state_change`;

// Transitions of card subscriptions and of store purchases, whose ids are negative. Each is read along its own index.
const cardSteps = ({ what }: TransitionFilter) => `
  SELECT e.id, e.created_at, e.from_state, e.to_state,
    ${shownReason} AS reason, e.workflow_run_id, e.amount_minor, s.currency, s.token, s.account_id, s.item_id,
    ${changeOf('e.to_state = $7', 'e.from_state = $7')}
  FROM subscription_events e JOIN subscriptions s ON s.id = e.subscription_id
  WHERE e.merchant_id = $1 AND ($2::timestamptz IS NULL OR e.created_at >= $2)
    AND ($3::timestamptz IS NULL OR e.created_at < $3) AND ($4::text IS NULL OR s.currency = $4)
    AND ($5::int IS NULL OR s.item_id = $5) AND ($6::int IS NULL OR s.account_id = $6)
    AND ($7::text IS NULL OR (e.from_state IS DISTINCT FROM e.to_state AND $7 IN (e.from_state, e.to_state)))
    AND (${what === undefined ? 'true' : isAnyOf(what)})`;
const storeSteps = `
  SELECT -x.id::bigint, x.created_at, x.from_state, x.to_state, x.reason, NULL, x.amount_minor, x.currency, o.token,
    o.account_id, o.item_id, ${changeOf(
      'x.to_state = $7 AND ($4::text IS NULL OR x.currency = $4)',
      'x.from_state = $7 AND ($4::text IS NULL OR x.from_currency = $4)',
    )}
  FROM store_transitions x JOIN store_purchases o ON o.id = x.store_purchase_id
  WHERE x.merchant_id = $1 AND ($2::timestamptz IS NULL OR x.created_at >= $2)
    AND ($3::timestamptz IS NULL OR x.created_at < $3)
    AND ($4::text IS NULL OR x.currency = $4 OR ($7::text IS NOT NULL AND x.from_currency = $4))
    AND ($5::int IS NULL OR o.item_id = $5) AND ($6::int IS NULL OR o.account_id = $6)
    AND ($7::text IS NULL OR ((x.from_state, x.from_currency) IS DISTINCT FROM (x.to_state, x.currency)
      AND $7 IN (x.from_state, x.to_state)))
    AND ($8::text[] IS NULL OR x.occasions && $8)`;

function transitionValues(filter: TransitionFilter): unknown[] {
  const { merchantId, from, to, currency, itemId, accountId, state, what } = filter;
  return [merchantId, from, to, currency, itemId, accountId, state, what].map((value) => value ?? null);
}

/** Selects transitions, newest first. */
export function selectTransitions(
  filter: TransitionFilter,
  { limit, offset = 0, after }: MovementPage,
): Promise<TransitionRow[]> {
  return reportQuery<TransitionRow>(
    `SELECT e.id, e.token AS "subscriptionToken", e.account_id AS "accountId", a.email, e.item_id AS "itemId",
       i.title AS "itemTitle", e.currency, e.from_state AS "fromState", e.to_state AS "toState", e.reason,
       e.amount_minor AS "amountMinor", e.workflow_run_id AS "workflowRunId", e.created_at AS at,
       e.created_at::text AS "exactAt"
     FROM (
       (${cardSteps(filter)} AND ($11::timestamptz IS NULL OR (e.created_at, e.id) < ($11, $12::bigint))
         ORDER BY e.created_at DESC, e.id DESC LIMIT $9::int + $10::int)
       UNION ALL
       (${storeSteps} AND ($11::timestamptz IS NULL OR (x.created_at <= $11 AND (x.created_at < $11 OR -x.id < $12::bigint)))
         ORDER BY x.created_at DESC, x.id LIMIT $9::int + $10::int)
       ORDER BY created_at DESC, id DESC LIMIT $9 OFFSET $10
     ) e
     JOIN accounts a ON a.id = e.account_id JOIN items i ON i.id = e.item_id ORDER BY e.created_at DESC, e.id DESC`,
    [...transitionValues(filter), limit, offset, after?.at ?? null, after?.id ?? null],
  );
}

export interface TransitionSum extends MoneySum {
  /** The change in the number of subscriptions in the requested state. */
  stateChange: number;
}

export function sumTransitions(filter: TransitionFilter): Promise<TransitionSum[]> {
  return reportQuery<TransitionSum>(
    `SELECT currency, count(*)::int AS count, sum(amount_minor)::bigint AS "amountMinor",
       sum(state_change)::int AS "stateChange"
     FROM (${cardSteps(filter)} UNION ALL ${storeSteps}) steps GROUP BY currency ORDER BY currency`,
    transitionValues(filter),
  );
}
