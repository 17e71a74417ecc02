import { type Migration } from './migration';

/**
 * What each row of a report brings to its numbers stands on the row: a step of a subscription says what was to be paid by
 * it, and a line of the ledger whether it is the first of its subscription, and by how many the paying customers change.
 */
export const numbersOfRows: Migration = {
  name: '0064-numbers-of-rows',
  up: `
    -- What a step was to bring, or brought: of a payment, of one that failed and of one that was lost.
    ALTER TABLE subscription_events ADD COLUMN amount_minor bigint NOT NULL DEFAULT 0;
    UPDATE subscription_events e SET amount_minor = c.amount_minor
    FROM subscription_events x CROSS JOIN LATERAL (
      SELECT amount_minor FROM charges WHERE subscription_id = x.subscription_id AND status = 'paid'
        AND coalesce(settled_at, created_at) <= x.created_at + interval '1 minute' ORDER BY cycle DESC LIMIT 1) c
    WHERE x.id = e.id AND x.reason IN ('paid', 'recovered');
    UPDATE subscription_events e SET amount_minor = c.amount_minor
    FROM subscription_events x CROSS JOIN LATERAL (
      SELECT amount_minor FROM charges WHERE subscription_id = x.subscription_id AND status = 'declined'
        AND created_at <= x.created_at + interval '1 minute' ORDER BY cycle DESC, attempt DESC LIMIT 1) c
    WHERE x.id = e.id AND ((x.to_state = 'past_due' AND x.from_state IS DISTINCT FROM 'past_due')
      OR (x.from_state IN ('past_due', 'on_hold') AND x.to_state IN ('canceled', 'expired', 'revoked')));

    CREATE FUNCTION price_transition() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.amount_minor := coalesce((
        SELECT c.amount_minor FROM subscriptions s JOIN charges c ON c.subscription_id = s.id AND c.cycle = s.cycle
        WHERE s.id = NEW.subscription_id
          AND c.status = CASE WHEN NEW.reason IN ('paid', 'recovered') THEN 'paid' ELSE 'declined' END
        ORDER BY c.attempt DESC LIMIT 1), 0);
      RETURN NEW;
    END $$;
    CREATE TRIGGER subscription_events_priced BEFORE INSERT ON subscription_events FOR EACH ROW
      WHEN (NEW.reason IN ('paid', 'recovered')
        OR (NEW.to_state = 'past_due' AND NEW.from_state IS DISTINCT FROM 'past_due')
        OR (NEW.from_state IN ('past_due', 'on_hold') AND NEW.to_state IN ('canceled', 'expired', 'revoked')))
      EXECUTE FUNCTION price_transition();

    CREATE OR REPLACE FUNCTION count_transition() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      s subscriptions;
      occurred text[] := '{}';
    BEGIN
      SELECT * INTO s FROM subscriptions WHERE id = NEW.subscription_id;
      IF NEW.from_state IS DISTINCT FROM NEW.to_state THEN
        INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
        SELECT NEW.merchant_id, 'states', utc_day(NEW.created_at), '{state,item_state}',
          ARRAY[state, s.item_id || ':' || state], s.currency, change, 0
        FROM (VALUES (NEW.to_state, 1), (NEW.from_state, -1)) AS v (state, change) WHERE state IS NOT NULL;
      END IF;
      IF NEW.to_state = 'trialing' AND NEW.from_state = 'incomplete' THEN occurred := '{trial_started}'; END IF;
      IF s.trial_start IS NOT NULL AND NEW.to_state IN ('canceled', 'expired', 'revoked')
        AND NOT EXISTS (SELECT FROM mrr_movements m WHERE m.subscription_id = s.id)
      THEN occurred := occurred || 'trial_lost'::text; END IF;
      IF NEW.reason IN ('paid', 'recovered') AND s.discount_cycle > 1 THEN occurred := occurred || 'renewed'::text; END IF;
      IF NEW.to_state = 'past_due' AND NEW.from_state IS DISTINCT FROM 'past_due' THEN
        occurred := occurred || 'dunning_failed'::text; END IF;
      IF NEW.reason = 'recovered' THEN occurred := occurred || 'dunning_recovered'::text; END IF;
      IF NEW.from_state IN ('past_due', 'on_hold') AND NEW.to_state IN ('canceled', 'expired', 'revoked') THEN
        occurred := occurred || 'dunning_lost'::text; END IF;
      INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
      SELECT NEW.merchant_id, what, utc_day(NEW.created_at), '{total,item}', ARRAY['', s.item_id::text], s.currency, 1,
        NEW.amount_minor
      FROM unnest(occurred) AS what;
      RETURN NULL;
    END $$;

    ALTER TABLE mrr_movements
      -- Of those of its subscription.
      ADD COLUMN is_first boolean NOT NULL DEFAULT false,
      -- By how many those who pay in its currency change.
      ADD COLUMN customers smallint NOT NULL DEFAULT 0 CHECK (customers BETWEEN -1 AND 1);
    ALTER TABLE mrr_movements DISABLE TRIGGER mrr_movements_append_only;
    UPDATE mrr_movements m SET is_first = l.is_first,
      customers = CASE WHEN m.subscriptions = 1 AND l.left_after = 1 THEN 1
        WHEN m.subscriptions = -1 AND l.left_after = 0 THEN -1 ELSE 0 END
    FROM (
      SELECT l.id, row_number() OVER (PARTITION BY l.subscription_id, l.store_purchase_id ORDER BY l.sequence) = 1 AS is_first,
        sum(l.subscriptions) OVER (PARTITION BY coalesce(s.account_id, o.account_id), l.currency ORDER BY l.id) AS left_after
      FROM mrr_movements l LEFT JOIN subscriptions s ON s.id = l.subscription_id
      LEFT JOIN store_purchases o ON o.id = l.store_purchase_id
    ) l WHERE l.id = m.id;
    ALTER TABLE mrr_movements ENABLE TRIGGER mrr_movements_append_only;

    CREATE FUNCTION place_movement() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      who int;
      left_after int;
    BEGIN
      SELECT coalesce((SELECT account_id FROM subscriptions WHERE id = NEW.subscription_id),
        (SELECT account_id FROM store_purchases WHERE id = NEW.store_purchase_id)) INTO who;
      NEW.is_first := NOT EXISTS (SELECT FROM mrr_movements m WHERE m.subscription_id = NEW.subscription_id
          AND m.sequence < NEW.sequence)
        AND NOT EXISTS (SELECT FROM mrr_movements m WHERE m.store_purchase_id = NEW.store_purchase_id
          AND m.sequence < NEW.sequence);
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
      NEW.customers := CASE WHEN NEW.subscriptions = 1 AND left_after = 1 THEN 1
        WHEN NEW.subscriptions = -1 AND left_after = 0 THEN -1 ELSE 0 END;
      RETURN NEW;
    END $$;
    CREATE TRIGGER mrr_movements_placed BEFORE INSERT ON mrr_movements FOR EACH ROW EXECUTE FUNCTION place_movement();

    CREATE OR REPLACE FUNCTION count_movement() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      country text;
      had_trial boolean;
    BEGIN
      IF NEW.subscription_id IS NOT NULL THEN
        SELECT country_iso, trial_start IS NOT NULL INTO country, had_trial
        FROM subscriptions WHERE id = NEW.subscription_id;
      ELSE
        SELECT coalesce(country_iso, ''), false INTO country, had_trial
        FROM store_purchases WHERE id = NEW.store_purchase_id;
      END IF;
      INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor) VALUES
        (NEW.merchant_id, 'mrr', utc_day(NEW.happened_at), '{total,item,country,cohort}',
          ARRAY['', NEW.item_id::text, country, to_char(NEW.cohort, 'YYYY-MM')],
          NEW.currency, NEW.subscriptions, NEW.amount_minor),
        (NEW.merchant_id, 'movements', utc_day(NEW.happened_at), '{kind}', ARRAY[NEW.kind], NEW.currency, 1,
          NEW.amount_minor);
      INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
      SELECT NEW.merchant_id, v.figure, utc_day(NEW.happened_at), '{total,item,cohort}',
        ARRAY['', NEW.item_id::text, to_char(NEW.cohort, 'YYYY-MM')], NEW.currency, 1, NEW.amount_minor
      FROM (VALUES ('begun', true), ('trial_converted', had_trial)) AS v (figure, holds) WHERE NEW.is_first AND v.holds;
      INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
      SELECT NEW.merchant_id, 'paying_customers', utc_day(NEW.happened_at), '{total}', '{""}', NEW.currency,
        NEW.customers, 0
      WHERE NEW.customers <> 0;
      RETURN NULL;
    END $$;

    -- Those who began in a month, and what became of them.
    CREATE INDEX mrr_movements_cohort ON mrr_movements (merchant_id, cohort, happened_at DESC, id DESC);
  `,
};
