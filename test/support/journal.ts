import { type Client, type Pool } from 'pg';

/** What the ledgers say about each account of the journal: debits less credits, in minor units. */
const expected = `
  SELECT merchant_id, currency, 'payment_provider' AS account, amount_minor AS amount FROM charges WHERE status = 'paid'
  UNION ALL SELECT merchant_id, currency, 'payment_provider', -amount_minor FROM refunds WHERE state = 'refunded'
  UNION ALL SELECT merchant_id, currency, 'payment_provider', -amount_minor FROM disputes WHERE NOT is_won
  UNION ALL SELECT merchant_id, fee_currency, 'payment_provider', -fee_minor FROM balance_transactions
  UNION ALL SELECT merchant_id, fee_currency, 'provider_fees', fee_minor FROM balance_transactions
  UNION ALL SELECT t.merchant_id, t.currency, p.account, p.sign * t.amount_minor
    FROM balance_transactions t CROSS JOIN (VALUES ('payout', 'bank', 1), ('payout', 'payment_provider', -1),
      ('payout_failure', 'bank', -1), ('payout_failure', 'payment_provider', 1)) p (kind, account, sign)
    WHERE t.kind = p.kind
  UNION ALL SELECT x.merchant_id, x.currency, 'app_stores', x.amount_minor
    FROM store_payments x JOIN store_purchases p ON p.id = x.store_purchase_id
    WHERE p.counts_money AND NOT x.is_trial AND x.refunded_at IS NULL
  UNION ALL SELECT merchant_id, currency, 'customer_balances', -balance_minor FROM customer_balances
  UNION ALL SELECT merchant_id, currency, 'tax_on_credits', tax_minor FROM customer_balances
  UNION ALL SELECT c.merchant_id, c.currency, 'tax_payable', -t.tax_minor
    FROM charge_taxes t JOIN charges c ON c.id = t.charge_id WHERE c.status = 'paid'
  UNION ALL SELECT r.merchant_id, r.currency, 'tax_payable', t.tax_minor
    FROM refund_taxes t JOIN refunds r ON r.id = t.refund_id WHERE r.state = 'refunded'
  UNION ALL SELECT d.merchant_id, c.currency, a.account, a.sign * d.tax_minor
    FROM dispute_taxes d JOIN charges c ON c.id = d.charge_id
      CROSS JOIN (VALUES ('tax_payable', 1), ('chargebacks', -1)) a (account, sign)
  UNION ALL SELECT merchant_id, currency, 'chargebacks', amount_minor FROM disputes WHERE NOT is_won
  UNION ALL SELECT merchant_id, currency, 'chargebacks', amount_minor - tax_minor FROM balance_movements
    WHERE reason IN ('dispute', 'dispute_won')
  UNION ALL SELECT merchant_id, currency, 'chargebacks',
    CASE WHEN debit_account = 'chargebacks' THEN amount_minor ELSE -amount_minor END
    FROM journal_entries WHERE kind = 'dispute' AND 'gifts_outstanding' IN (debit_account, credit_account)
  UNION ALL SELECT merchant_id, currency, 'adjustments', amount_minor - tax_minor FROM balance_movements
    WHERE reason IN ('adjustment', 'erasure')
  UNION ALL SELECT m.merchant_id, m.currency, 'open_charges', m.amount_minor - m.tax_minor
    FROM balance_movements m JOIN charges c ON c.id = m.charge_id
    WHERE m.reason IN ('charge', 'charge_declined') AND c.status NOT IN ('paid', 'declined')
  UNION ALL SELECT m.merchant_id, m.currency, 'open_refunds', m.amount_minor - m.tax_minor
    FROM balance_movements m JOIN refunds r ON r.id = m.refund_id
    WHERE m.reason IN ('refund', 'refund_failed') AND r.state NOT IN ('refunded', 'failed')
  UNION ALL SELECT m.merchant_id, m.currency, 'adjustments', m.amount_minor - m.tax_minor
    FROM balance_movements m JOIN charges c ON c.id = m.charge_id
    WHERE m.reason IN ('charge', 'charge_declined') AND c.status = 'declined'
  UNION ALL SELECT m.merchant_id, m.currency, 'adjustments', m.amount_minor - m.tax_minor
    FROM balance_movements m JOIN refunds r ON r.id = m.refund_id
    WHERE m.reason IN ('refund', 'refund_failed') AND r.state = 'failed'
  UNION ALL SELECT merchant_id, currency, 'deferred_revenue', -amount_minor FROM revenue_schedules
  UNION ALL SELECT merchant_id, currency, 'deferred_revenue',
    CASE WHEN debit_account = 'deferred_revenue' THEN amount_minor ELSE -amount_minor END
    FROM journal_entries WHERE kind = 'recognition'`;

const faultsQuery = `
  WITH expected AS (
    SELECT merchant_id, currency, account, sum(amount) AS amount FROM (${expected}) e GROUP BY 1, 2, 3
  ), booked AS (
    SELECT merchant_id, currency, account, sum(amount) AS amount FROM (
      SELECT merchant_id, currency, debit_account::text AS account, amount_minor AS amount FROM journal_entries
      UNION ALL SELECT merchant_id, currency, credit_account::text, -amount_minor FROM journal_entries
    ) j GROUP BY 1, 2, 3
  )
  SELECT account, currency, coalesce(b.amount, 0)::float8 AS booked, coalesce(e.amount, 0)::float8 AS expected
  FROM booked b FULL JOIN expected e USING (merchant_id, currency, account)
  WHERE ($1::int IS NULL OR merchant_id = $1) AND coalesce(b.amount, 0) <> coalesce(e.amount, 0)
    AND account NOT IN ('revenue', 'refunds', 'gifts_outstanding')
  ORDER BY account, currency`;

/** The accounts of the journal that differ from the ledgers, of one merchant or of all. */
export async function journalFaults(pool: Pool | Client, merchantId?: number): Promise<string[]> {
  const { rows } = await pool.query<{ account: string; currency: string; booked: number; expected: number }>(
    faultsQuery,
    [merchantId ?? null],
  );
  return rows.map(({ account, currency, booked, expected }) => `${account} ${currency}: ${booked}, not ${expected}`);
}

/** The entries of a merchant in their order, as `debit > credit amount`. `kind`: only entries of this kind. */
export async function entriesOf(pool: Pool, merchantId: number, kind?: string): Promise<string[]> {
  const { rows } = await pool.query<{ text: string }>(
    `SELECT debit_account || ' > ' || credit_account || ' ' || amount_minor AS text FROM journal_entries
     WHERE merchant_id = $1 AND ($2::text IS NULL OR kind = $2) ORDER BY id`,
    [merchantId, kind ?? null],
  );
  return rows.map(({ text }) => text);
}

/** The revenue of a merchant less its refunds, in minor units. */
export async function earnedMinor(pool: Pool, merchantId: number): Promise<number> {
  const { rows } = await pool.query<{ earned: number }>(
    `SELECT (coalesce(sum(amount_minor) FILTER (WHERE credit_account IN ('revenue', 'refunds')), 0)
       - coalesce(sum(amount_minor) FILTER (WHERE debit_account IN ('revenue', 'refunds')), 0))::int AS earned
     FROM journal_entries WHERE merchant_id = $1`,
    [merchantId],
  );
  return rows[0]?.earned ?? 0;
}

/** What is deferred in the journal less what is scheduled for the days after the last booked one, by currency. */
export async function unscheduled(pool: Pool, merchantId: number): Promise<number[]> {
  const { rows } = await pool.query<{ left: number }>(
    `SELECT (d.amount - coalesce((SELECT sum(unearned(s.amount_minor, s.first_day, s.days, n.to_day))
       FROM revenue_schedules s WHERE s.merchant_id = $1 AND s.currency = d.currency), 0))::int AS left
     FROM deferred_revenue($1) d JOIN revenue_recognitions n ON n.merchant_id = $1`,
    [merchantId],
  );
  return rows.map(({ left }) => left);
}

/** The tax of the journal by currency: what is owed less what is returned, in minor units. */
export async function taxInJournal(pool: Pool, merchantId: number): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ currency: string; tax: number }>(
    `SELECT currency, sum(CASE WHEN credit_account = 'tax_payable' THEN amount_minor ELSE -amount_minor END)::int AS tax
     FROM journal_entries WHERE merchant_id = $1 AND 'tax_payable' IN (debit_account, credit_account) GROUP BY 1`,
    [merchantId],
  );
  return Object.fromEntries(rows.map(({ currency, tax }) => [currency, tax]));
}

/** The money that came in, went back to customers, and was taken by banks, by the journal. In the major unit of EUR. */
export async function moneyInJournal(pool: Pool, merchantId: number) {
  const { rows } = await pool.query<{ revenue: number; refunds: number; chargebacks: number }>(
    `SELECT coalesce(sum(amount) FILTER (WHERE kind IN ('charge', 'store_payment')), 0)::float8 AS revenue,
       coalesce(-sum(amount) FILTER (WHERE kind IN ('refund', 'refund_failed', 'store_refund')), 0)::float8 AS refunds,
       coalesce(-sum(amount) FILTER (WHERE kind = 'dispute'), 0)::float8 AS chargebacks
     FROM (
       SELECT kind, amount_minor / 100.0 AS amount FROM journal_entries
       WHERE merchant_id = $1 AND debit_account IN ('payment_provider', 'app_stores')
       UNION ALL SELECT kind, -amount_minor / 100.0 FROM journal_entries
       WHERE merchant_id = $1 AND credit_account IN ('payment_provider', 'app_stores')
     ) money`,
    [merchantId],
  );
  return rows[0];
}

/** The day of the first entry of a merchant, or a day that is so many days later. */
export async function bookedDay(pool: Pool, merchantId: number, daysLater = 0): Promise<string> {
  const { rows } = await pool.query<{ day: string }>(
    `SELECT to_char(min(day) + $2::int, 'YYYY-MM-DD') AS day FROM journal_entries WHERE merchant_id = $1`,
    [merchantId, daysLater],
  );
  return rows[0]?.day ?? '';
}

/** Books the revenue of the days until a day, `YYYY-MM-DD`. */
export async function recognise(pool: Pool, merchantId: number, until: string): Promise<void> {
  await pool.query('SELECT recognise_revenue($1, $2)', [merchantId, until]);
}
