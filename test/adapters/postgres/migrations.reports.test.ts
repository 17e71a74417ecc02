import { afterUpgrade } from '../../support/upgrade';

test('0064-numbers-of-rows: steps and lines from before it say what they bring to the numbers', async () => {
  await afterUpgrade('0064-numbers-of-rows', before, async (client) => {
    const steps = await client.query<{ sequence: number; amount: number }>(
      'SELECT sequence, amount_minor::int AS amount FROM subscription_events ORDER BY id',
    );
    expect(steps.rows.map(({ sequence, amount }) => [sequence, amount])).toEqual([
      [1, 0],
      [2, 0],
      [3, 500],
      [4, 600],
      [5, 0],
      [6, 600],
    ]);
    const lines = await client.query<{ id: number; sequence: number; first: boolean; customers: number }>(
      'SELECT subscription_id AS id, sequence, is_first AS first, customers FROM mrr_movements ORDER BY mrr_movements.id',
    );
    expect(lines.rows.map(({ id, sequence, first, customers }) => [id, sequence, first, customers])).toEqual([
      [1, 2, true, 1],
      [2, 2, true, 0],
      [1, 4, false, 0],
      [1, 5, false, 0],
      [2, 3, false, -1],
    ]);
  });
});

const before = [
  `INSERT INTO accounts (id, uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
   VALUES (1, gen_random_uuid(), 1, '00000000-0000-4000-8000-000000000001', 'merchant', 'a', 'a', 'A', '-'),
     (2, gen_random_uuid(), 1, '00000000-0000-4000-8000-000000000001', 'consumer', 'b', 'b', 'B', '-')`,
  `INSERT INTO items (id, merchant_id, title, item_type, content) VALUES (1, 1, 'Item', 'html_asset', '')`,
  `INSERT INTO access_types (id, merchant_id, name, quantity, period) VALUES (101, 1, 'subscription', 1, 'month')`,
  `INSERT INTO access_fees (id, merchant_id, item_id, access_type_id, amount_minor, currency, description)
   VALUES (1, 1, 1, 101, 500, 'EUR', 'Monthly')`,
  `INSERT INTO cards (id, merchant_id, account_id, provider, token, last_four, brand, holder_name, expiry_month,
     expiry_year, fingerprint) VALUES (1, 1, 2, 'sandbox', 'tok', '4242', 'Visa', 'B', 1, 2040, '')`,
  `INSERT INTO subscriptions (id, token, merchant_id, account_id, item_id, access_fee_id, card_id, state, price_minor,
     currency, period_quantity, period, environment, cycle)
   SELECT id, 'S-' || id, 1, 2, 1, 1, 1, state, 500, 'EUR', 1, 'month', 'test', 3
   FROM (VALUES (1, 'expired'), (2, 'canceled')) AS v (id, state)`,
  `INSERT INTO charges (merchant_id, account_id, subscription_id, cycle, attempt, idempotency_key, card_id, amount_minor,
     currency, status, settled_at, created_at)
   SELECT 1, 2, 1, cycle, attempt, cycle || ':' || attempt, 1, amount, 'EUR', status, at, at
   FROM (VALUES (1, 1, 400, 'paid', timestamptz '2026-01-01'), (2, 1, 500, 'paid', '2026-02-01'),
     (3, 1, 600, 'declined', '2026-03-01'), (3, 2, 600, 'declined', '2026-03-05')) AS v (cycle, attempt, amount, status, at)`,
  `INSERT INTO subscription_events (merchant_id, subscription_id, sequence, from_state, to_state, reason, actor, created_at)
   SELECT 1, 1, v.sequence, v.before, v.after, v.reason, 'test', v.at
   FROM (VALUES (1, NULL, 'incomplete', 'submitted', timestamptz '2026-01-01'),
     (2, 'incomplete', 'active', 'first payment', '2026-01-01'), (3, 'active', 'active', 'paid', '2026-02-01'),
     (4, 'active', 'past_due', 'declined', '2026-03-01'), (5, 'past_due', 'on_hold', 'grace is over', '2026-03-08'),
     (6, 'on_hold', 'expired', 'not paid', '2026-03-20')) AS v (sequence, before, after, reason, at)`,
  `INSERT INTO mrr_movements (merchant_id, subscription_id, sequence, kind, reason, item_id, access_fee_id, currency,
     amount_minor, mrr_minor, counts, subscriptions, cohort, happened_at)
   SELECT 1, id, sequence, kind, kind, 1, 1, 'EUR', change, after, after > 0, subscriptions, '2026-01-01', at
   FROM (VALUES (1, 2, 'new', 500, 500, 1, timestamptz '2026-01-01'), (2, 2, 'new', 500, 500, 1, '2026-01-02'),
     (1, 4, 'expansion', 100, 600, 0, '2026-02-01'), (1, 5, 'churn_payment', -600, 0, -1, '2026-03-08'),
     (2, 3, 'churn_voluntary', -500, 0, -1, '2026-03-09')) AS v (id, sequence, kind, change, after, subscriptions, at)
   ORDER BY at`,
];
