-- The triggers that count rows for reports (see `figure_deltas`). Each one guards a figure: whichever code writes a row
-- that counts, its delta is written with it. A row of demo data that is deleted is subtracted, on the day on which it counted.

-- Counts a sale, refund or chargeback by card, `times` times. -1 subtracts it.
CREATE FUNCTION count_sales(figure text, c charges, at timestamptz, taken_minor bigint, times int) RETURNS void
  LANGUAGE sql AS $$
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

-- Counts a sale or refund by card once.
CREATE FUNCTION count_sale(figure text, c charges, at timestamptz, taken_minor bigint) RETURNS void LANGUAGE sql AS $$
  SELECT count_sales(figure, c, at, taken_minor, 1)
$$;

-- Revenue: each paid charge, on the day of the payment.
CREATE FUNCTION count_charge() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM count_sales('revenue', OLD, coalesce(OLD.settled_at, OLD.created_at), OLD.amount_minor, -1);
    RETURN NULL;
  END IF;
  PERFORM count_sale('revenue', NEW, coalesce(NEW.settled_at, NEW.created_at), NEW.amount_minor);
  RETURN NULL;
END $$;
CREATE TRIGGER charges_uncounted AFTER DELETE ON charges FOR EACH ROW
  WHEN (OLD.status = 'paid' AND OLD.amount_minor > 0) EXECUTE FUNCTION count_charge();
CREATE TRIGGER charges_counted AFTER INSERT ON charges FOR EACH ROW
  WHEN (NEW.status = 'paid' AND NEW.amount_minor > 0) EXECUTE FUNCTION count_charge();
CREATE TRIGGER charges_paid_counted AFTER UPDATE OF status ON charges FOR EACH ROW
  WHEN (NEW.status = 'paid' AND OLD.status <> 'paid' AND NEW.amount_minor > 0) EXECUTE FUNCTION count_charge();

-- Refunds, on the day of the refund.
CREATE FUNCTION count_refund() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_sale('refunds', c, coalesce(NEW.settled_at, NEW.created_at), NEW.amount_minor)
  FROM charges c WHERE c.id = NEW.charge_id;
  RETURN NULL;
END $$;
CREATE TRIGGER refunds_counted AFTER INSERT ON refunds FOR EACH ROW WHEN (NEW.state = 'refunded')
  EXECUTE FUNCTION count_refund();
CREATE TRIGGER refunds_given_counted AFTER UPDATE OF state ON refunds FOR EACH ROW
  WHEN (NEW.state = 'refunded' AND OLD.state <> 'refunded') EXECUTE FUNCTION count_refund();

-- A refund that the bank returns later is subtracted, on the day on which it was counted.
CREATE FUNCTION uncount_refund() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_sales('refunds', c, coalesce(OLD.settled_at, OLD.created_at), OLD.amount_minor, -1)
  FROM charges c WHERE c.id = OLD.charge_id;
  RETURN NULL;
END $$;
CREATE TRIGGER refunds_uncounted AFTER DELETE ON refunds FOR EACH ROW WHEN (OLD.state = 'refunded')
  EXECUTE FUNCTION uncount_refund();
CREATE TRIGGER refunds_failed_uncounted AFTER UPDATE OF state ON refunds FOR EACH ROW
  WHEN (OLD.state = 'refunded' AND NEW.state <> 'refunded') EXECUTE FUNCTION uncount_refund();

-- Chargebacks, on the day on which the bank took the money. The bank can take a part of the charge. A won chargeback is
-- subtracted.
CREATE FUNCTION count_dispute() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  c charges;
  d disputes;
BEGIN
  IF TG_OP = 'DELETE' THEN d := OLD; ELSE d := NEW; END IF;
  SELECT * INTO c FROM charges WHERE id = d.charge_id;
  c.currency := d.currency;
  PERFORM count_sales('chargebacks', c, d.opened_at, d.amount_minor, CASE WHEN d.is_won OR TG_OP = 'DELETE' THEN -1 ELSE 1 END);
  RETURN NULL;
END $$;
CREATE TRIGGER disputes_uncounted AFTER DELETE ON disputes FOR EACH ROW WHEN (NOT OLD.is_won)
  EXECUTE FUNCTION count_dispute();
CREATE TRIGGER disputes_counted AFTER INSERT ON disputes FOR EACH ROW WHEN (NOT NEW.is_won)
  EXECUTE FUNCTION count_dispute();
CREATE TRIGGER disputes_turned_counted AFTER UPDATE OF is_won ON disputes FOR EACH ROW
  WHEN (OLD.is_won <> NEW.is_won) EXECUTE FUNCTION count_dispute();

-- Counts an invoice or one of its corrections for tax reports, on its day in the seller's time zone. The key is
-- `treatment:country:region:rate:corrected quarter`. `times`: -1 subtracts it.
CREATE FUNCTION count_document(v invoices, times int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
  SELECT v.merchant_id, a.figure, (v.issued_at AT TIME ZONE v.time_zone)::date, '{tax}',
    ARRAY[concat_ws(':', v.treatment, v.tax_country, coalesce(v.tax_region, ''), v.rate_milli,
      coalesce(v.corrected_quarter, ''))], v.currency, times, times * a.amount_minor
  FROM (VALUES ('invoiced_net', v.net_minor), ('invoiced_tax', v.tax_minor)) AS a (figure, amount_minor);
  -- Sales whose country is not proved by two matching pieces of evidence.
  INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
  SELECT v.merchant_id, 'unproved', (v.issued_at AT TIME ZONE v.time_zone)::date, '{total}', '{""}', v.currency, times,
    times * v.gross_minor
  FROM charge_taxes t WHERE t.charge_id = v.charge_id AND v.kind = 'invoice' AND NOT t.is_proved;
END $$;

CREATE FUNCTION count_issued_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM count_document(OLD, -1);
  ELSE
    PERFORM count_document(NEW, 1);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER invoices_counted AFTER INSERT OR DELETE ON invoices FOR EACH ROW
  EXECUTE FUNCTION count_issued_document();

-- Counts a sale or refund in an app store, `times` times. Trials and purchases that bring no money do not count.
CREATE FUNCTION count_store_sale(figure text, x store_payments, at timestamptz, times int) RETURNS void
  LANGUAGE sql AS $$
  INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
  SELECT x.merchant_id, figure, utc_day(at), '{total,item,fee,country,payment_method,voucher,kind}',
    ARRAY['', x.item_id::text, x.access_fee_id::text, coalesce(p.country_iso, ''), p.store, '', p.kind],
    x.currency, times, times * x.amount_minor
  FROM store_purchases p
  WHERE p.id = x.store_purchase_id AND p.counts_money AND NOT x.is_trial AND x.amount_minor > 0
$$;

-- Revenue and refunds in app stores. A reversed refund is subtracted.
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

-- Monthly recurring revenue, its movements, new and converted subscriptions, and paying customers.
CREATE FUNCTION count_movement() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  m mrr_movements;
  times int := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
  country text;
  had_trial boolean;
BEGIN
  IF TG_OP = 'DELETE' THEN m := OLD; ELSE m := NEW; END IF;
  IF m.subscription_id IS NOT NULL THEN
    SELECT country_iso, trial_start IS NOT NULL INTO country, had_trial
    FROM subscriptions WHERE id = m.subscription_id;
  ELSE
    SELECT coalesce(country_iso, ''), false INTO country, had_trial
    FROM store_purchases WHERE id = m.store_purchase_id;
  END IF;
  INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor) VALUES
    (m.merchant_id, 'mrr', utc_day(m.happened_at), '{total,item,country,cohort}',
      ARRAY['', m.item_id::text, country, to_char(m.cohort, 'YYYY-MM')],
      m.currency, times * m.subscriptions, times * m.amount_minor),
    (m.merchant_id, 'movements', utc_day(m.happened_at), '{kind}', ARRAY[m.kind], m.currency, times,
      times * m.amount_minor);
  INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
  SELECT m.merchant_id, v.figure, utc_day(m.happened_at), '{total,item,cohort}',
    ARRAY['', m.item_id::text, to_char(m.cohort, 'YYYY-MM')], m.currency, times, times * m.amount_minor
  FROM (VALUES ('begun', true), ('trial_converted', had_trial)) AS v (figure, holds) WHERE m.is_first AND v.holds;
  INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
  SELECT m.merchant_id, 'paying_customers', utc_day(m.happened_at), '{total}', '{""}', m.currency,
    times * m.customers, 0
  WHERE m.customers <> 0;
  RETURN NULL;
END $$;
CREATE TRIGGER mrr_movements_counted AFTER INSERT OR DELETE ON mrr_movements FOR EACH ROW
  EXECUTE FUNCTION count_movement();

-- Guards the occasions of a step: trials, renewals and failed payments by card.
CREATE FUNCTION name_occasions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  s subscriptions;
  ended boolean := NEW.to_state IN ('canceled', 'expired', 'revoked');
BEGIN
  SELECT * INTO s FROM subscriptions WHERE id = NEW.subscription_id;
  NEW.occasions := ARRAY(SELECT v.name FROM (VALUES
    ('trial_started', NEW.to_state = 'trialing' AND NEW.from_state = 'incomplete'),
    ('trial_lost', s.trial_start IS NOT NULL AND ended
      AND NOT EXISTS (SELECT FROM mrr_movements m WHERE m.subscription_id = s.id)),
    ('renewed', NEW.reason IN ('paid', 'recovered') AND s.discount_cycle > 1),
    ('dunning_failed', NEW.to_state = 'past_due' AND NEW.from_state IS DISTINCT FROM 'past_due'),
    ('dunning_recovered', NEW.reason = 'recovered'),
    ('dunning_lost', NEW.from_state IN ('past_due', 'on_hold') AND ended)) AS v (name, holds) WHERE v.holds);
  RETURN NEW;
END $$;
CREATE TRIGGER subscription_events_occasions BEFORE INSERT ON subscription_events FOR EACH ROW
  WHEN (NEW.from_state IS DISTINCT FROM NEW.to_state OR NEW.reason IN ('paid', 'recovered'))
  EXECUTE FUNCTION name_occasions();

-- Subscriptions by state, and the occasions of a step.
CREATE FUNCTION count_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  e subscription_events;
  times int := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
  s subscriptions;
BEGIN
  IF TG_OP = 'DELETE' THEN e := OLD; ELSE e := NEW; END IF;
  SELECT * INTO s FROM subscriptions WHERE id = e.subscription_id;
  IF e.from_state IS DISTINCT FROM e.to_state THEN
    INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
    SELECT e.merchant_id, 'states', utc_day(e.created_at), '{state,item_state}',
      ARRAY[state, s.item_id || ':' || state], s.currency, times * change, 0
    FROM (VALUES (e.to_state, 1), (e.from_state, -1)) AS v (state, change) WHERE state IS NOT NULL;
  END IF;
  INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
  SELECT e.merchant_id, what, utc_day(e.created_at), '{total,item}', ARRAY['', s.item_id::text], s.currency, times,
    times * e.amount_minor
  FROM unnest(e.occasions) AS what;
  RETURN NULL;
END $$;
CREATE TRIGGER subscription_events_counted AFTER INSERT ON subscription_events FOR EACH ROW
  WHEN (NEW.from_state IS DISTINCT FROM NEW.to_state OR NEW.reason IN ('paid', 'recovered'))
  EXECUTE FUNCTION count_transition();
CREATE TRIGGER subscription_events_uncounted AFTER DELETE ON subscription_events FOR EACH ROW
  EXECUTE FUNCTION count_transition();

-- The same figures for subscriptions in app stores.
CREATE FUNCTION count_store_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  item text;
BEGIN
  SELECT item_id::text INTO item FROM store_purchases WHERE id = NEW.store_purchase_id;
  INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
  SELECT NEW.merchant_id, 'states', utc_day(NEW.created_at), '{state}', ARRAY[v.state], v.currency, v.change, 0
  FROM (VALUES (NEW.to_state, NEW.currency, 1), (NEW.from_state, NEW.from_currency, -1)) AS v (state, currency, change)
  WHERE v.state IS NOT NULL
    AND (NEW.from_state, NEW.from_currency) IS DISTINCT FROM (NEW.to_state, NEW.currency);
  INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
  SELECT NEW.merchant_id, what, utc_day(NEW.created_at), '{total,item}', ARRAY['', item], NEW.currency, 1,
    NEW.amount_minor
  FROM unnest(NEW.occasions) AS what;
  RETURN NULL;
END $$;
CREATE TRIGGER store_transitions_counted AFTER INSERT ON store_transitions FOR EACH ROW
  EXECUTE FUNCTION count_store_transition();

-- Customers and registrations. An erased account is subtracted from the customers.
CREATE FUNCTION count_account() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  a accounts;
BEGIN
  IF TG_OP = 'DELETE' THEN a := OLD; ELSE a := NEW; END IF;
  INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
  SELECT a.merchant_id, v.figure, utc_day(v.at), '{total}', '{""}', '', v.change, 0
  FROM (VALUES ('customers', a.created_at, 1, 'INSERT'), ('registered', a.created_at, 1, 'INSERT'),
    ('customers', a.erased_at, -1, 'UPDATE'), ('customers', a.created_at, -1, 'DELETE'),
    ('registered', a.created_at, -1, 'DELETE'), ('customers', a.erased_at, 1, 'DELETE'))
    AS v (figure, at, change, operation)
  WHERE v.operation = TG_OP AND v.at IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER accounts_counted AFTER INSERT ON accounts FOR EACH ROW WHEN (NEW.role = 'consumer')
  EXECUTE FUNCTION count_account();
CREATE TRIGGER accounts_uncounted AFTER DELETE ON accounts FOR EACH ROW WHEN (OLD.role = 'consumer')
  EXECUTE FUNCTION count_account();
CREATE TRIGGER accounts_erased_counted AFTER UPDATE OF erased_at ON accounts FOR EACH ROW
  WHEN (NEW.role = 'consumer' AND NEW.erased_at IS NOT NULL AND OLD.erased_at IS NULL)
  EXECUTE FUNCTION count_account();

-- Visitors, by country and device.
CREATE FUNCTION count_visit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
  VALUES (NEW.merchant_id, 'seen', NEW.day, '{total,country,device}', ARRAY['', NEW.country_iso, NEW.device], '', 1, 0);
  RETURN NULL;
END $$;
CREATE TRIGGER analytics_visits_counted AFTER INSERT ON analytics_visits FOR EACH ROW EXECUTE FUNCTION count_visit();

-- Events of visitors, by type and item.
CREATE FUNCTION count_analytics_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
  VALUES (NEW.merchant_id, 'events', NEW.day, '{type,item_type}', ARRAY[NEW.type, NEW.item_id || ':' || NEW.type],
    '', 1, 0);
  RETURN NULL;
END $$;
CREATE TRIGGER analytics_events_counted AFTER INSERT ON analytics_events FOR EACH ROW
  EXECUTE FUNCTION count_analytics_event();
