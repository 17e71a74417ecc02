import { isHere } from '../../adapters/postgres/moving';
import { reportQuery } from '../../adapters/postgres/reports';
import { query, statement } from '../../adapters/postgres/statement';

/** The accounts and the kinds of entries in the schema. */
export type Account =
  | 'payment_provider'
  | 'bank'
  | 'app_stores'
  | 'tax_on_credits'
  | 'customer_balances'
  | 'deferred_revenue'
  | 'gifts_outstanding'
  | 'tax_payable'
  | 'open_charges'
  | 'open_refunds'
  | 'revenue'
  | 'refunds'
  | 'chargebacks'
  | 'adjustments'
  | 'provider_fees';
type EntryKind =
  | 'charge'
  | 'refund'
  | 'refund_failed'
  | 'dispute'
  | 'balance'
  | 'gift'
  | 'fee'
  | 'payout'
  | 'store_payment'
  | 'store_refund'
  | 'recognition';

export interface EntryRow {
  id: number;
  /** `YYYY-MM-DD`. */
  day: string;
  kind: EntryKind;
  about: string;
  trxToken: string | null;
  debitAccount: Account;
  creditAccount: Account;
  amountMinor: number;
  currency: string;
  bookedAt: Date;
}

export interface EntryFilter {
  merchantId: number;
  /** Days, both inclusive. */
  from?: Date | undefined;
  to?: Date | undefined;
  currency?: string | undefined;
  kind?: EntryKind | undefined;
  account?: Account | undefined;
}

const wanted = `j.merchant_id = $1 AND ($2::date IS NULL OR j.day >= $2) AND ($3::date IS NULL OR j.day <= $3)
  AND ($4::text IS NULL OR j.currency = $4) AND ($5::text IS NULL OR j.kind = $5)
  AND ($6::text IS NULL OR $6 IN (j.debit_account, j.credit_account))`;

const valuesOf = ({ merchantId, from, to, currency, kind, account }: EntryFilter) => [
  merchantId,
  from ?? null,
  to ?? null,
  currency ?? null,
  kind ?? null,
  account ?? null,
];

/** Newest first. `before`: only entries with a smaller id. */
export function selectEntries(
  filter: EntryFilter,
  { limit, offset = 0, before }: { limit: number; offset?: number; before?: number | undefined },
): Promise<EntryRow[]> {
  return reportQuery<EntryRow>(
    `SELECT j.id::float8 AS id, to_char(j.day, 'YYYY-MM-DD') AS day, j.kind, j.about, c.trx_token AS "trxToken",
       j.debit_account AS "debitAccount", j.credit_account AS "creditAccount", j.amount_minor AS "amountMinor", j.currency,
       j.booked_at AS "bookedAt"
     FROM journal_entries j LEFT JOIN charges c ON c.id = j.charge_id
     WHERE ${wanted} AND ($7::bigint IS NULL OR j.id < $7) ORDER BY j.id DESC LIMIT $8 OFFSET $9`,
    [...valuesOf(filter), before ?? null, limit, offset],
  );
}

export interface DeferredRow {
  currency: string;
  /** `YYYY-MM`. */
  month: string;
  amountMinor: number;
}

/**
 * What becomes revenue in each month after a day, of the sales that were booked until that day. Equal sales of one day are
 * computed once.
 */
export function sumUnearned(merchantId: number, day: string, currency: string | undefined): Promise<DeferredRow[]> {
  return reportQuery<DeferredRow>(
    `WITH sales AS (
       SELECT currency, amount_minor, first_day, days, count(*) AS count FROM revenue_schedules
       WHERE merchant_id = $1 AND end_day > $2::date + 1 AND booked_on <= $2 AND ($3::text IS NULL OR currency = $3)
       GROUP BY currency, amount_minor, first_day, days
     )
     SELECT s.currency, to_char(m, 'YYYY-MM') AS month,
       sum(s.count * (unearned(s.amount_minor, s.first_day, s.days, greatest($2::date, m::date - 1))
         - unearned(s.amount_minor, s.first_day, s.days, (m + interval '1 month')::date - 1)))::bigint AS "amountMinor"
     FROM sales s
       CROSS JOIN LATERAL generate_series(date_trunc('month', greatest($2::date + 1, s.first_day)::timestamp),
         (s.first_day + s.days - 1)::timestamp, interval '1 month') AS m
     GROUP BY 1, 2 ORDER BY 1, 2`,
    [merchantId, day, currency ?? null],
  );
}

const recogniseStatement = statement<{ booked: number }>(
  'books_recognise',
  'SELECT recognise_revenue($1, utc_day(merchant_now($1)) - 1) AS booked',
);

/** Books the revenue of all days before the present one, in merchant time, and returns the number of its entries. */
export async function recogniseRevenue(merchantId: number): Promise<number> {
  const [row] = await recogniseStatement([merchantId]);
  return row?.booked ?? 0;
}

/** The merchants that have sold something. */
export async function listSellers(): Promise<number[]> {
  const rows = await query<{ id: number }>(
    `SELECT a.id FROM accounts a WHERE a.role = 'merchant' AND ${isHere('a.id')}
       AND EXISTS (SELECT FROM revenue_schedules s WHERE s.merchant_id = a.id) ORDER BY a.id`,
    [],
  );
  return rows.map(({ id }) => id);
}
