import { type Migration } from './migration';

/**
 * What the rows behind reports are read by. Each charge says which fee it sold: its subscription may have another one
 * since. A change of plans is paid before it is in force, so that its charge takes the new fee over when the subscription
 * does, and its revenue goes along. Steps of subscriptions and chargebacks have an index by merchant and time.
 */
export const rowsOfReports: Migration = {
  name: '0058-rows-of-reports',
  up: `
    ALTER TABLE charges ADD COLUMN access_fee_id int;
    -- As the ledger knows it, which is written within moments of the charge.
    UPDATE charges c SET access_fee_id = coalesce(
      (SELECT m.access_fee_id FROM mrr_movements m WHERE m.subscription_id = c.subscription_id
         AND m.happened_at <= coalesce(c.settled_at, c.created_at) + interval '1 minute' ORDER BY m.sequence DESC LIMIT 1),
      (SELECT m.access_fee_id FROM mrr_movements m WHERE m.subscription_id = c.subscription_id ORDER BY m.sequence LIMIT 1),
      (SELECT access_fee_id FROM subscriptions WHERE id = c.subscription_id),
      (SELECT access_fee_id FROM payments WHERE id = c.payment_id));
    ALTER TABLE charges ALTER COLUMN access_fee_id SET NOT NULL;

    CREATE FUNCTION name_sold_fee() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.access_fee_id := coalesce(NEW.access_fee_id,
        (SELECT access_fee_id FROM subscriptions WHERE id = NEW.subscription_id),
        (SELECT access_fee_id FROM payments WHERE id = NEW.payment_id));
      RETURN NEW;
    END $$;
    CREATE TRIGGER charges_name_their_fee BEFORE INSERT ON charges FOR EACH ROW EXECUTE FUNCTION name_sold_fee();

    CREATE FUNCTION move_sold_fee() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      WITH sold AS (
        UPDATE charges SET access_fee_id = NEW.access_fee_id WHERE subscription_id = NEW.id AND cycle = NEW.cycle
          AND access_fee_id = OLD.access_fee_id RETURNING *
      )
      INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
      SELECT c.merchant_id, 'revenue', utc_day(coalesce(c.settled_at, c.created_at)), '{fee}', ARRAY[v.fee::text],
        c.currency, v.times, v.times * c.amount_minor
      FROM sold c CROSS JOIN (VALUES (OLD.access_fee_id, -1), (NEW.access_fee_id, 1)) AS v (fee, times)
      WHERE c.status = 'paid' AND c.amount_minor > 0;
      RETURN NULL;
    END $$;
    CREATE TRIGGER subscriptions_switched AFTER UPDATE OF access_fee_id ON subscriptions FOR EACH ROW
      WHEN (OLD.access_fee_id <> NEW.access_fee_id AND NEW.cycle > OLD.cycle) EXECUTE FUNCTION move_sold_fee();

    CREATE OR REPLACE FUNCTION count_sales(figure text, c charges, at timestamptz, taken_minor bigint, times int)
      RETURNS void LANGUAGE sql AS $$
      INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
      SELECT c.merchant_id, figure, utc_day(at),
        '{total,item,fee,country,payment_method,voucher,kind}',
        ARRAY['', p.item_id::text, c.access_fee_id::text, p.country_iso,
          CASE WHEN c.card_id IS NULL THEN 'none' ELSE 'card' END, p.voucher_code, p.kind],
        c.currency, times, times * taken_minor
      FROM (
        SELECT item_id, country_iso, voucher_code, 'subscription' AS kind FROM subscriptions WHERE id = c.subscription_id
        UNION ALL
        SELECT item_id, country_iso, voucher_code, 'one_time' FROM payments WHERE id = c.payment_id
      ) p
    $$;

    CREATE INDEX subscription_events_merchant ON subscription_events (merchant_id, created_at DESC, id DESC);

    ALTER TABLE disputes ADD COLUMN merchant_id int;
    UPDATE disputes d SET merchant_id = c.merchant_id FROM charges c WHERE c.id = d.charge_id;
    ALTER TABLE disputes ALTER COLUMN merchant_id SET NOT NULL;
    CREATE OR REPLACE FUNCTION open_dispute() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.opened_at := coalesce(NEW.opened_at, NEW.told_at);
      NEW.merchant_id := coalesce(NEW.merchant_id, (SELECT merchant_id FROM charges WHERE id = NEW.charge_id));
      RETURN NEW;
    END $$;
    DROP INDEX disputes_opened;
    CREATE INDEX disputes_merchant ON disputes (merchant_id, opened_at DESC) WHERE NOT is_won;
  `,
};
