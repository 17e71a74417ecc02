import { type Migration } from './migration';

/**
 * What stores sell belongs to the reports: payments and refunds to the revenue, subscriptions to the ledger. What banks
 * take back is counted by itself. As in 0050, whoever writes a row that counts leaves a delta beside it.
 */
export const storeMoney: Migration = {
  name: '0043-store-money',
  up: `
    -- A test purchase brings money in a test environment only.
    ALTER TABLE store_purchases ADD COLUMN counts_money boolean NOT NULL DEFAULT true;
    UPDATE store_purchases SET counts_money = environment = 'production';

    ALTER TABLE mrr_movements
      ALTER COLUMN subscription_id DROP NOT NULL,
      ADD COLUMN store_purchase_id int,
      ADD UNIQUE (store_purchase_id, sequence),
      ADD FOREIGN KEY (merchant_id, store_purchase_id) REFERENCES store_purchases (merchant_id, id),
      ADD CHECK (num_nonnulls(subscription_id, store_purchase_id) = 1);

    CREATE OR REPLACE FUNCTION count_movement() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      who int;
      country text;
      had_trial boolean;
      is_first boolean;
      left_after int;
      newcomers int;
    BEGIN
      IF NEW.subscription_id IS NOT NULL THEN
        SELECT account_id, country_iso, trial_start IS NOT NULL INTO who, country, had_trial
        FROM subscriptions WHERE id = NEW.subscription_id;
        SELECT NOT EXISTS (SELECT FROM mrr_movements m WHERE m.subscription_id = NEW.subscription_id
          AND m.sequence < NEW.sequence) INTO is_first;
      ELSE
        SELECT p.account_id, coalesce(p.country_iso, ''), EXISTS (SELECT FROM store_payments x
          WHERE x.store_purchase_id = p.id AND x.is_trial) INTO who, country, had_trial
        FROM store_purchases p WHERE p.id = NEW.store_purchase_id;
        SELECT NOT EXISTS (SELECT FROM mrr_movements m WHERE m.store_purchase_id = NEW.store_purchase_id
          AND m.sequence < NEW.sequence) INTO is_first;
      END IF;
      INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor) VALUES
        (NEW.merchant_id, 'mrr', utc_day(NEW.happened_at), '{total,item,country,cohort}',
          ARRAY['', NEW.item_id::text, country, to_char(NEW.cohort, 'YYYY-MM')],
          NEW.currency, NEW.subscriptions, NEW.amount_minor),
        (NEW.merchant_id, 'movements', utc_day(NEW.happened_at), '{kind}', ARRAY[NEW.kind], NEW.currency, 1,
          NEW.amount_minor);
      IF is_first THEN
        INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
        SELECT NEW.merchant_id, v.figure, utc_day(NEW.happened_at), '{total,item,cohort}',
          ARRAY['', NEW.item_id::text, to_char(NEW.cohort, 'YYYY-MM')], NEW.currency, 1, NEW.amount_minor
        FROM (VALUES ('begun', true), ('trial_converted', had_trial AND NEW.subscription_id IS NOT NULL)) AS v (figure, holds)
        WHERE v.holds;
      END IF;
      UPDATE paying_customers SET subscriptions = subscriptions + NEW.subscriptions,
        mrr_minor = mrr_minor + NEW.amount_minor
      WHERE account_id = who AND currency = NEW.currency RETURNING subscriptions INTO left_after;
      IF NOT FOUND THEN
        INSERT INTO paying_customers AS p (merchant_id, account_id, currency, subscriptions, mrr_minor)
        VALUES (NEW.merchant_id, who, NEW.currency, NEW.subscriptions, NEW.amount_minor)
        ON CONFLICT (account_id, currency) DO UPDATE SET subscriptions = p.subscriptions + excluded.subscriptions,
          mrr_minor = p.mrr_minor + excluded.mrr_minor
        RETURNING subscriptions INTO left_after;
      END IF;
      newcomers := CASE WHEN NEW.subscriptions = 1 AND left_after = 1 THEN 1
        WHEN NEW.subscriptions = -1 AND left_after = 0 THEN -1 ELSE 0 END;
      IF newcomers <> 0 THEN
        INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
        VALUES (NEW.merchant_id, 'paying_customers', utc_day(NEW.happened_at), '{total}', '{""}', NEW.currency,
          newcomers, 0);
      END IF;
      RETURN NULL;
    END $$;

    -- What the store does not tell is the fee's price, as it is when the payment is heard of.
    CREATE FUNCTION price_store_payment() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.amount_minor IS NULL AND NOT NEW.is_trial THEN
        SELECT amount_minor, currency INTO NEW.amount_minor, NEW.currency FROM access_fees WHERE id = NEW.access_fee_id;
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER store_payments_priced BEFORE INSERT ON store_payments FOR EACH ROW
      EXECUTE FUNCTION price_store_payment();
    UPDATE store_payments x SET amount_minor = f.amount_minor, currency = f.currency FROM access_fees f
    WHERE f.id = x.access_fee_id AND x.amount_minor IS NULL AND NOT x.is_trial;

    CREATE FUNCTION count_store_sale(figure text, x store_payments, at timestamptz, times int) RETURNS void LANGUAGE sql AS $$
      INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
      SELECT x.merchant_id, figure, utc_day(at), '{total,item,fee,country,payment_method,voucher,kind}',
        ARRAY['', x.item_id::text, x.access_fee_id::text, coalesce(p.country_iso, ''), p.store, '', p.kind],
        x.currency, times, times * x.amount_minor
      FROM store_purchases p
      WHERE p.id = x.store_purchase_id AND p.counts_money AND NOT x.is_trial AND x.amount_minor > 0
    $$;
    CREATE FUNCTION count_store_payment() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN
        PERFORM count_store_sale('revenue', NEW, NEW.paid_at, 1);
      ELSIF OLD.refunded_at IS NOT NULL THEN
        PERFORM count_store_sale('refunds', NEW, OLD.refunded_at, -1);
      END IF;
      IF NEW.refunded_at IS NOT NULL THEN
        PERFORM count_store_sale('refunds', NEW, NEW.refunded_at, 1);
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER store_payments_counted AFTER INSERT ON store_payments FOR EACH ROW
      EXECUTE FUNCTION count_store_payment();
    CREATE TRIGGER store_refunds_counted AFTER UPDATE OF refunded_at ON store_payments FOR EACH ROW
      WHEN (OLD.refunded_at IS DISTINCT FROM NEW.refunded_at) EXECUTE FUNCTION count_store_payment();
    CREATE INDEX store_payments_refunded ON store_payments (merchant_id, refunded_at) WHERE refunded_at IS NOT NULL;

    -- A chargeback counts on the day on which the bank took the money; one that is won counts no more.
    ALTER TABLE disputes ADD COLUMN opened_at timestamptz;
    UPDATE disputes SET opened_at = told_at;
    ALTER TABLE disputes ALTER COLUMN opened_at SET NOT NULL;
    CREATE INDEX disputes_opened ON disputes (opened_at) WHERE NOT is_won;
    CREATE FUNCTION open_dispute() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.opened_at := coalesce(NEW.opened_at, NEW.told_at);
      RETURN NEW;
    END $$;
    CREATE TRIGGER disputes_open BEFORE INSERT ON disputes FOR EACH ROW EXECUTE FUNCTION open_dispute();

    CREATE FUNCTION count_sales(figure text, c charges, at timestamptz, taken_minor bigint, times int) RETURNS void
      LANGUAGE sql AS $$
      INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
      SELECT c.merchant_id, figure, utc_day(at),
        '{total,item,fee,country,payment_method,voucher,kind}',
        ARRAY['', p.item_id::text, p.access_fee_id::text, p.country_iso,
          CASE WHEN c.card_id IS NULL THEN 'none' ELSE 'card' END, p.voucher_code, p.kind],
        c.currency, times, times * taken_minor
      FROM (
        SELECT item_id, access_fee_id, country_iso, voucher_code, 'subscription' AS kind FROM subscriptions
        WHERE id = c.subscription_id
        UNION ALL
        SELECT item_id, access_fee_id, country_iso, voucher_code, 'one_time' FROM payments WHERE id = c.payment_id
      ) p
    $$;
    CREATE OR REPLACE FUNCTION count_sale(figure text, c charges, at timestamptz, taken_minor bigint) RETURNS void
      LANGUAGE sql AS $$
      SELECT count_sales(figure, c, at, taken_minor, 1)
    $$;
    CREATE FUNCTION count_dispute() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM count_sales('chargebacks', c, NEW.opened_at, c.amount_minor, CASE WHEN NEW.is_won THEN -1 ELSE 1 END)
      FROM charges c WHERE c.id = NEW.charge_id;
      RETURN NULL;
    END $$;
    CREATE TRIGGER disputes_counted AFTER INSERT ON disputes FOR EACH ROW WHEN (NOT NEW.is_won)
      EXECUTE FUNCTION count_dispute();
    CREATE TRIGGER disputes_turned_counted AFTER UPDATE OF is_won ON disputes FOR EACH ROW
      WHEN (OLD.is_won <> NEW.is_won) EXECUTE FUNCTION count_dispute();

    -- What there was before is counted as if it happened anew.
    SELECT count_store_sale('revenue', x, x.paid_at, 1) FROM store_payments x;
    SELECT count_store_sale('refunds', x, x.refunded_at, 1) FROM store_payments x WHERE x.refunded_at IS NOT NULL;
    SELECT count_sales('chargebacks', c, d.opened_at, c.amount_minor, 1)
    FROM disputes d JOIN charges c ON c.id = d.charge_id WHERE NOT d.is_won;
    INSERT INTO mrr_movements (merchant_id, store_purchase_id, sequence, kind, reason, item_id, access_fee_id, currency,
      amount_minor, mrr_minor, counts, subscriptions, cohort, happened_at)
    SELECT merchant_id, id, 1, 'new', 'bought', item_id, access_fee_id, currency, monthly, monthly, true, 1,
      date_trunc('month', since AT TIME ZONE 'UTC')::date, since
    FROM (
      SELECT p.id, p.merchant_id, p.item_id, p.access_fee_id, coalesce(p.period_starts_at, p.purchased_at) AS since,
        CASE WHEN p.amount_minor IS NULL THEN f.currency ELSE p.currency END AS currency,
        round(coalesce(p.amount_minor, f.amount_minor) * CASE t.period WHEN 'hour' THEN 8766 WHEN 'day' THEN 365.25
          WHEN 'week' THEN 365.25 / 7 WHEN 'month' THEN 12 ELSE 1 END / (12 * t.quantity))::bigint AS monthly
      FROM store_purchases p JOIN access_fees f ON f.id = p.access_fee_id JOIN access_types t ON t.id = f.access_type_id
      JOIN accounts a ON a.id = p.account_id AND a.erasing_at IS NULL
      WHERE p.kind = 'subscription' AND p.state IN ('active', 'grace') AND NOT p.is_trial AND p.replaced_at IS NULL
        AND p.counts_money
    ) living;
  `,
};
