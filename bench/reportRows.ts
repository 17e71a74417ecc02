/** The rows of a merchant with many payments, as statements. */

// The counting triggers run as for any other write. Rows are numbered by their position, and ids equal these numbers.
export function catalogue(consumers: number): string[] {
  return [
    `INSERT INTO accounts (id, uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
     SELECT 1, u, 1, u, 'merchant', 'm@bench.test', 'm@bench.test', 'Bench', '' FROM gen_random_uuid() AS u`,
    `SELECT setval(pg_get_serial_sequence('accounts', 'id'), 1)`,
    `INSERT INTO accounts (uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash,
       created_at)
     SELECT gen_random_uuid(), 1, m.uuid, 'consumer', n || '@bench.test', n || '@bench.test',
       CASE WHEN n % 10 = 0 THEN 'Maria ' ELSE 'Viewer ' END || n, '',
       now() - n % 1000 * interval '1 day'
     FROM accounts m, generate_series(1, ${consumers}) AS n WHERE m.id = 1`,
    `INSERT INTO items (merchant_id, title, item_type, content)
     SELECT 1, 'Item ' || n, 'html_asset', '' FROM generate_series(1, 50) AS n`,
    `INSERT INTO access_types (merchant_id, name, quantity, period)
     VALUES (1, 'subscription', 1, 'month'), (1, 'ppv', 2, 'day')`,
    `INSERT INTO access_fees (merchant_id, item_id, access_type_id, amount_minor, currency, description)
     SELECT 1, n, 1, 500 + n, 'EUR', 'Monthly' FROM generate_series(1, 50) AS n`,
    `INSERT INTO cards (merchant_id, account_id, provider, token, last_four, brand, holder_name, expiry_month,
       expiry_year, fingerprint) VALUES (1, 2, 'sandbox', 'tok', '4242', 'Visa', 'B', 1, 2040, '')`,
  ];
}

/** One of ten subscriptions is yearly and has begun over three years ago. */
export function subscriptionRows(subscriptions: number): string[] {
  return [
    `INSERT INTO subscriptions (token, merchant_id, account_id, item_id, access_fee_id, card_id, state, price_minor,
       currency, period_quantity, period, environment, cycle, discount_cycle, country_iso, voucher_code, created_at)
     SELECT 'S-' || n, 1, 1 + n, 1 + (n + n / 1000) % 50, 1 + (n + n / 1000) % 50, 1, CASE WHEN n % 3 = 0 THEN 'canceled' ELSE 'active' END,
       501 + n % 50, 'EUR', 1, CASE WHEN n % 10 = 5 THEN 'year' ELSE 'month' END, 'test', 4, 4,
       (ARRAY['FR', 'DE', 'US', 'GB', 'ES', 'IT', ''])[1 + n % 7],
       CASE WHEN n % 10 = 0 THEN 'SPRING' ELSE '' END,
       now() - CASE WHEN n % 10 = 5 THEN 1100 + n % 365 ELSE n % 1000 END * interval '1 day'
     FROM generate_series(1, ${subscriptions}) AS n`,
    `INSERT INTO subscription_events (merchant_id, subscription_id, sequence, from_state, to_state, reason, actor,
       created_at)
     SELECT 1, id, v.sequence, v.before, v.after, v.reason, 'bench', created_at + v.later FROM subscriptions
     CROSS JOIN (VALUES (1, NULL, 'incomplete', 'submitted', interval '0'),
       (2, 'incomplete', 'active', 'first payment', interval '0'),
       (3, 'active', 'canceled', 'canceled', interval '100 days')) AS v (sequence, before, after, reason, later)
     WHERE v.sequence < 3 OR state = 'canceled'`,
    `INSERT INTO mrr_movements (merchant_id, subscription_id, sequence, kind, reason, item_id, access_fee_id, currency,
       amount_minor, mrr_minor, counts, subscriptions, cohort, happened_at)
     SELECT 1, id, v.sequence, v.kind, v.kind, item_id, access_fee_id, currency, v.sign * price_minor,
       greatest(v.sign, 0) * price_minor, v.sign = 1, v.sign,
       date_trunc('month', created_at AT TIME ZONE 'UTC')::date, created_at + v.later
     FROM subscriptions CROSS JOIN (VALUES (2, 'new', 1, interval '0'),
       (3, 'churn_voluntary', -1, interval '100 days')) AS v (sequence, kind, sign, later)
     WHERE v.sequence = 2 OR state = 'canceled' ORDER BY created_at, id, v.sequence`,
    `INSERT INTO charges (merchant_id, account_id, subscription_id, cycle, attempt, idempotency_key, card_id, amount_minor,
       currency, status, settled_at, created_at, period_start, period_end)
     SELECT 1, account_id, id, cycle, 1, token || ':' || cycle, 1, price_minor, currency, 'paid', at, at, at, at + length
     FROM (SELECT s.id, s.account_id, s.token, s.price_minor, s.currency, c.cycle, l.length,
         s.created_at + (c.cycle - 1) * l.length AS at
       FROM subscriptions s CROSS JOIN generate_series(1, 4) AS c (cycle)
         CROSS JOIN LATERAL (SELECT CASE s.period WHEN 'year' THEN interval '365 days' ELSE interval '30 days' END) AS l (length)
     ) AS due`,
  ];
}

export function paymentRows(oneTime: number): string[] {
  return [
    `INSERT INTO payments (token, merchant_id, account_id, item_id, access_fee_id, card_id, state, access_type,
       period_quantity, period, price_minor, charged_minor, currency, environment, country_iso)
     SELECT 'C-' || n, 1, 1 + n, 1 + (n + n / 1000) % 50, 1 + (n + n / 1000) % 50, 1, 'paid', 'ppv', 2, 'day', 450, 450, 'EUR', 'test',
       (ARRAY['FR', 'DE', 'US', 'GB', 'ES', 'IT', ''])[1 + n % 7]
     FROM generate_series(1, ${oneTime}) AS n`,
    `INSERT INTO charges (merchant_id, account_id, payment_id, cycle, attempt, idempotency_key, card_id, amount_minor,
       currency, status, settled_at, created_at, period_start, period_end)
     SELECT 1, account_id, id, 1, 1, token, 1, charged_minor, currency, 'paid', at, at, at, at + interval '2 days'
     FROM (SELECT p.*, now() - id % 1000 * interval '1 day' AS at FROM payments p) AS p`,
  ];
}

/** Columns of both kinds of documents. */
const documentColumns = `merchant_id, is_test, year, sequence_no, kind, charge_id, refund_id, corrects_id, issued_at,
  time_zone, currency, net_minor, tax_minor, gross_minor, treatment, tax_country, rate_milli, seller, lines,
  corrected_quarter`;
const lines = `'{"name":"News Ltd","address_line":"Main St 1","postal_code":"10115","city":"Berlin","country":"DE","tax_number":"DE1","note":""}',
  '[{"kind":"item","text":"Item","detail":"Monthly","starts_at":1,"ends_at":2,"net_minor":1,"tax_minor":1,"gross_minor":2}]'`;

/** Of one in ten sales the seller has no registration. */
const treatment = `CASE WHEN id % 10 = 5 THEN 'not_registered' WHEN id % 3 = 0 THEN 'domestic' ELSE 'oss' END`;

/** An invoice and a tax for each payment, whose country is not proved for one of four, and a credit note for one of fifty. */
export const documentRows = [
  `INSERT INTO tax_profiles (merchant_id, seller_name, address_line, postal_code, city, country, time_zone)
   VALUES (1, 'News Ltd', 'Main St 1', '10115', 'Berlin', 'DE', 'Europe/Berlin')`,
  `INSERT INTO charge_taxes (charge_id, merchant_id, net_minor, tax_minor, gross_minor, treatment, country, rate_milli, kind,
     is_proved, evidence)
   SELECT id, 1, amount_minor - amount_minor / 6, amount_minor / 6, amount_minor, ${treatment},
     (ARRAY['DE', 'FR', 'ES', 'IT'])[1 + id % 4], (ARRAY[19000, 20000, 21000, 22000])[1 + id % 4], 'standard', id % 4 > 0,
     '{"billing":"DE"}' FROM charges`,
  `INSERT INTO invoices (${documentColumns})
   SELECT 1, true, extract(year FROM settled_at AT TIME ZONE 'Europe/Berlin'), row_number() OVER (PARTITION BY
       extract(year FROM settled_at AT TIME ZONE 'Europe/Berlin') ORDER BY settled_at, id), 'invoice', id, NULL, NULL,
     settled_at, 'Europe/Berlin', currency, amount_minor - amount_minor / 6, amount_minor / 6, amount_minor,
     ${treatment}, (ARRAY['DE', 'FR', 'ES', 'IT'])[1 + id % 4],
     (ARRAY[19000, 20000, 21000, 22000])[1 + id % 4], ${lines}, NULL
   FROM charges ORDER BY settled_at, id`,
  `INSERT INTO refunds (token, merchant_id, account_id, charge_id, amount_minor, currency, revoke_access, state,
     requested_by, settled_at)
   SELECT 'R-' || id, 1, account_id, id, amount_minor, currency, false, 'refunded', 1, settled_at + interval '20 days'
   FROM charges WHERE id % 50 = 0`,
  `INSERT INTO invoices (${documentColumns})
   SELECT 1, true, v.year, 10000000 + r.id, 'credit_note', v.charge_id, r.id, v.id, r.settled_at, v.time_zone, v.currency,
     -v.net_minor, -v.tax_minor, -v.gross_minor, v.treatment, v.tax_country, v.rate_milli, v.seller, v.lines,
     to_char(v.issued_at AT TIME ZONE v.time_zone, 'YYYY"-Q"Q')
   FROM refunds r JOIN invoices v ON v.charge_id = r.charge_id`,
  `INSERT INTO invoice_buyers (invoice_id, merchant_id, name, email, address_line, postal_code, city, region, country,
     tax_number, paid_with, last_four)
   SELECT v.id, 1, 'Buyer ' || md5(c.account_id::text), a.email, 'Street 1', '1000', 'City', '', v.tax_country, '', 'Visa', '4242'
   FROM invoices v JOIN charges c ON c.id = v.charge_id JOIN accounts a ON a.id = c.account_id`,
];

/** A credit or a debt of every second customer. */
export const balanceRows = [
  `INSERT INTO balance_movements (merchant_id, account_id, currency, amount_minor, reason, cause, created_at)
   SELECT 1, id, 'EUR', CASE WHEN id % 6 = 0 THEN -200 ELSE 300 END, 'adjustment', 'bench:' || id, created_at
   FROM accounts WHERE role = 'consumer' AND id % 2 = 0 ORDER BY id`,
];

/** The revenue of the days before yesterday, in one entry for each currency. Triggers have booked everything else. */
export const bookRows = [
  `INSERT INTO revenue_recognitions (merchant_id, to_day) VALUES (1, utc_day(now()) - 2)`,
  'SELECT recognise_revenue(1, utc_day(now()) - 1)',
];
