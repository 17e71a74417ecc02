-- The triggers that book each movement of money. They run at the end of a transaction, when all of its rows are there:
-- whichever code moves money, its entries are committed with it.

-- The charge and the reference of a dispute, from the cause of a movement: its reason and its number are left out.
CREATE FUNCTION dispute_of(cause text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT regexp_replace(cause, '^[a-z_]+:(.*):[0-9]+$', '\1')
$$;

-- Guards the tax in credits. A credit from a plan change contains tax that is paid, and a charge that the credit pays is not
-- taxed again. A movement that lowers a credit takes its share of this tax, and a movement that undoes another one restores
-- its tax. A charge can return what it took in parts. The part of a credit that pays a debt carries no tax.
CREATE FUNCTION tax_movement() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  credit bigint;
  tax bigint;
  raised bigint;
BEGIN
  SELECT balance_minor, tax_minor INTO credit, tax FROM customer_balances
  WHERE account_id = NEW.account_id AND currency = NEW.currency FOR UPDATE;
  raised := least(NEW.amount_minor, greatest(coalesce(credit, 0) + NEW.amount_minor, 0));
  NEW.tax_minor := coalesce(CASE
    WHEN NEW.reason IN ('charge_declined', 'refund_failed', 'dispute_won')
      OR NEW.reason = 'refund_credit' AND NEW.amount_minor > 0 THEN (
      SELECT CASE WHEN NEW.reason = 'charge_declined'
          THEN round(-sum(m.tax_minor) * NEW.amount_minor / nullif(-sum(m.amount_minor), 0)) ELSE -sum(m.tax_minor) END
      FROM balance_movements m WHERE m.charge_id = NEW.charge_id AND CASE NEW.reason
        WHEN 'charge_declined' THEN m.reason IN ('charge', 'charge_declined')
        WHEN 'dispute_won' THEN m.reason IN ('dispute', 'dispute_won') AND dispute_of(m.cause) = dispute_of(NEW.cause)
        WHEN 'refund_credit' THEN m.refund_id = NEW.refund_id AND m.reason = 'refund_credit'
        ELSE m.refund_id = NEW.refund_id AND m.reason IN ('refund', 'refund_failed') END)
    WHEN NEW.reason = 'plan_change' AND NEW.amount_minor > 0 AND NEW.charge_id IS NOT NULL THEN (
      SELECT round(raised::numeric * t.tax_minor / nullif(t.gross_minor, 0)) FROM charge_taxes t
      WHERE t.charge_id = NEW.charge_id)
    WHEN NEW.reason = 'plan_change' AND NEW.amount_minor > 0 THEN (
      SELECT round(raised::numeric * m.tax_minor / m.amount_minor) FROM balance_movements m
        JOIN charges c ON c.id = m.charge_id
      WHERE c.subscription_id = NEW.subscription_id AND c.status = 'paid' AND c.reversed_at IS NULL
        AND m.reason = 'charge' AND m.amount_minor < 0
      ORDER BY m.id DESC LIMIT 1)
    WHEN NEW.amount_minor < 0 AND credit > 0 THEN
      -least(round(tax::numeric * least(-NEW.amount_minor, credit) / credit), -NEW.amount_minor) END, 0);
  RETURN NEW;
END $$;
CREATE TRIGGER balance_movements_taxed BEFORE INSERT ON balance_movements FOR EACH ROW EXECUTE FUNCTION tax_movement();

-- The part of a charge's days that is still to come on a day, from 0 to 1. Null if the charge is not scheduled.
CREATE FUNCTION share_to_come(of_charge int, on_day date) RETURNS numeric LANGUAGE sql STABLE AS $$
  SELECT unearned(amount_minor, first_day, days, on_day - 1)::numeric / amount_minor FROM revenue_schedules
  WHERE charge_id = of_charge AND amount_minor > 0 ORDER BY id LIMIT 1
$$;

-- What is left of a charge's days on a day, less what was credited or refunded before.
CREATE FUNCTION left_of_charge(of_charge int, on_day date) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT greatest(coalesce(sum(unearned(amount_minor, first_day, days, on_day - 1)), 0), 0)::bigint
  FROM revenue_schedules WHERE charge_id = of_charge
$$;

-- What the receiver of a gift is still owed.
CREATE FUNCTION gift_outstanding(of_charge int) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(CASE WHEN credit_account = 'gifts_outstanding' THEN amount_minor ELSE -amount_minor END), 0)::bigint
  FROM journal_entries WHERE charge_id = of_charge AND 'gifts_outstanding' IN (debit_account, credit_account)
$$;

-- Takes a net amount of a charge back: a gift that nobody has redeemed is no longer owed, days to come are no longer
-- deferred, and the rest lowers the income of the day. A chargeback may have ended what was owed for the gift. `source`: the
-- account that the amount goes to.
CREATE FUNCTION book_return(booking journal_entries, source text, net bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  share numeric := share_to_come(booking.charge_id, booking.day);
  unearned_part bigint := least(round(net * coalesce(share, 0)), left_of_charge(booking.charge_id, booking.day));
  gift_part bigint;
BEGIN
  IF share IS NULL AND EXISTS (SELECT FROM charges c JOIN payments p ON p.id = c.payment_id
    WHERE c.id = booking.charge_id AND p.is_gift) THEN
    gift_part := least(net, greatest(gift_outstanding(booking.charge_id), 0));
    PERFORM book(booking, 'gifts_outstanding', source, gift_part);
    PERFORM book(booking, 'refunds', source, net - gift_part);
    RETURN;
  END IF;
  PERFORM book(booking, 'deferred_revenue', source, unearned_part);
  PERFORM book(booking, 'refunds', source, net - unearned_part);
  PERFORM schedule_revenue(booking, -unearned_part,
    (SELECT max(end_day) FROM revenue_schedules WHERE charge_id = booking.charge_id));
END $$;

-- The net part of a charge that the balance pays. Negative: the debt that is collected with the charge.
CREATE FUNCTION net_from_balance(of_charge int) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(tax_minor - amount_minor), 0)::bigint FROM balance_movements
  WHERE charge_id = of_charge AND reason IN ('charge', 'charge_declined')
$$;

-- A paid charge. A debt was booked without tax when it arose, so the tax of its part lowers the revenue.
CREATE FUNCTION book_charge() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  at timestamptz := coalesce(NEW.settled_at, NEW.created_at);
  booking journal_entries := new_booking(NEW.merchant_id, at, 'charge', 'charge:' || NEW.id, NEW.currency, NEW.id);
  tax bigint := coalesce((SELECT tax_minor FROM charge_taxes WHERE charge_id = NEW.id), 0);
  from_balance bigint := net_from_balance(NEW.id);
  debt bigint := greatest(0 - from_balance, 0);
  debt_tax bigint := CASE WHEN NEW.amount_minor > 0 THEN round(tax::numeric * debt / NEW.amount_minor) ELSE 0 END;
  net bigint := NEW.amount_minor - debt - tax + debt_tax;
  is_gift boolean := coalesce((SELECT p.is_gift FROM payments p WHERE p.id = NEW.payment_id), false);
  owed text := CASE WHEN is_gift THEN 'gifts_outstanding' ELSE 'deferred_revenue' END;
BEGIN
  PERFORM book(booking, 'payment_provider', owed, net);
  PERFORM book(booking, 'payment_provider', 'tax_payable', tax - debt_tax);
  PERFORM book(booking, 'payment_provider', 'open_charges', debt);
  PERFORM book(booking, 'revenue', 'tax_payable', debt_tax);
  PERFORM book(booking, 'open_charges', owed, greatest(from_balance, 0));
  IF is_gift THEN
    RETURN NULL;
  END IF;
  PERFORM schedule_revenue(booking, net + greatest(from_balance, 0), utc_day(NEW.period_end));
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER charges_inserted_booked AFTER INSERT ON charges DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.status = 'paid') EXECUTE FUNCTION book_charge();
CREATE CONSTRAINT TRIGGER charges_paid_booked AFTER UPDATE OF status ON charges DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.status = 'paid' AND OLD.status <> 'paid') EXECUTE FUNCTION book_charge();

-- Spreads a charge over another number of days. What was refunded of it moves in the same proportion, so that both end on the
-- same day.
CREATE FUNCTION respread_revenue(of_charge int, over_days int) RETURNS void LANGUAGE sql AS $$
  UPDATE revenue_schedules s SET
    first_day = w.first_day + least((s.first_day - w.first_day) * over_days / w.days, over_days - 1),
    days = greatest(over_days - (s.first_day - w.first_day) * over_days / w.days, 1)
  FROM (SELECT first_day, days FROM revenue_schedules WHERE charge_id = of_charge AND amount_minor > 0 ORDER BY id LIMIT 1) w
  WHERE s.charge_id = of_charge
$$;

-- A period can get another end after its charge was paid. The days of the charge end with the period.
CREATE FUNCTION reschedule_revenue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM respread_revenue(c.id, least(greatest(utc_day(NEW.current_period_end) - s.first_day, 1), 36500))
  FROM charges c JOIN LATERAL (SELECT first_day FROM revenue_schedules
    WHERE charge_id = c.id AND amount_minor > 0 ORDER BY id LIMIT 1) s ON true
  WHERE c.subscription_id = NEW.id AND c.cycle = NEW.cycle AND c.status = 'paid' AND c.reversed_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER subscriptions_rescheduled AFTER UPDATE OF current_period_end ON subscriptions FOR EACH ROW
  WHEN (NEW.current_period_end IS NOT NULL AND NEW.current_period_end IS DISTINCT FROM OLD.current_period_end)
  EXECUTE FUNCTION reschedule_revenue();

-- A merchant has extended the access of a one-time payment by some days. The revenue of its sale gets these days too.
CREATE FUNCTION stretch_revenue(of_merchant int, of_payment int, by_days int) RETURNS void LANGUAGE sql AS $$
  SELECT respread_revenue(c.id, least(s.days + by_days, 36500))
  FROM charges c JOIN LATERAL (SELECT days, end_day FROM revenue_schedules
    WHERE charge_id = c.id AND amount_minor > 0 ORDER BY id LIMIT 1) s ON true
  WHERE c.merchant_id = of_merchant AND c.payment_id = of_payment AND s.end_day > utc_day(merchant_now(of_merchant))
$$;

-- A movement of a customer's balance.
CREATE FUNCTION book_movement() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  booking journal_entries := new_booking(NEW.merchant_id, NEW.created_at, 'balance', 'movement:' || NEW.id, NEW.currency,
    NEW.charge_id);
  net bigint := NEW.amount_minor - NEW.tax_minor;
BEGIN
  PERFORM book(booking, 'tax_on_credits', 'customer_balances', NEW.tax_minor);
  IF NEW.reason = 'charge_declined' AND (SELECT status = 'paid' FROM charges WHERE id = NEW.charge_id) THEN
    -- The charge is refunded, so the balance gets its part back.
    PERFORM book_return(booking, 'customer_balances', net);
    RETURN NULL;
  END IF;
  PERFORM book(booking, CASE WHEN NEW.reason = 'plan_change' THEN 'deferred_revenue'
    WHEN NEW.reason IN ('charge', 'charge_declined') THEN 'open_charges'
    WHEN NEW.reason IN ('refund', 'refund_failed') THEN 'open_refunds'
    WHEN NEW.reason = 'refund_credit' THEN 'refunds'
    WHEN NEW.reason IN ('dispute', 'dispute_won') THEN 'chargebacks'
    ELSE 'adjustments' END, 'customer_balances', net);
  IF NEW.reason = 'plan_change' THEN
    -- A credit ends with the days that it is for, and a debt with the period that it pays for.
    PERFORM schedule_revenue(booking, -net, CASE WHEN NEW.amount_minor < 0
      THEN (SELECT utc_day(current_period_end) FROM subscriptions WHERE id = NEW.subscription_id)
      ELSE (SELECT r.end_day FROM revenue_schedules r JOIN charges c ON c.id = r.charge_id
        JOIN subscriptions p ON p.id = c.subscription_id
        WHERE c.subscription_id = NEW.subscription_id AND r.amount_minor > 0
          AND c.status = 'paid' AND c.reversed_at IS NULL
          AND (NEW.charge_id = c.id OR NEW.charge_id IS NULL AND c.cycle < p.cycle) ORDER BY r.id DESC LIMIT 1) END);
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER balance_movements_booked AFTER INSERT ON balance_movements DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION book_movement();

-- A declined charge of an erased account returns no balance. Its part is written off.
CREATE FUNCTION book_declined_charge() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM book(new_booking(NEW.merchant_id, coalesce(NEW.settled_at, NEW.created_at), 'charge', 'charge:' || NEW.id,
    NEW.currency, NEW.id), 'open_charges', 'adjustments', net_from_balance(NEW.id));
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER charges_declined_booked AFTER UPDATE OF status ON charges DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.status = 'declined' AND NEW.balance_minor <> 0) EXECUTE FUNCTION book_declined_charge();

-- A refund. One that fails after its success is booked in the other direction: its part of the days to come is deferred
-- again. A gift may have been redeemed in the meantime. A credit that cannot be restored, because the account is erased, is
-- written off.
CREATE FUNCTION book_refund() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  booking journal_entries := new_booking(NEW.merchant_id, CASE WHEN NEW.state = 'refunded'
    THEN coalesce(NEW.settled_at, NEW.created_at) ELSE merchant_now(NEW.merchant_id) END,
    CASE WHEN NEW.state = 'refunded' THEN 'refund' ELSE 'refund_failed' END, 'refund:' || NEW.id, NEW.currency,
    NEW.charge_id);
  tax bigint := coalesce((SELECT tax_minor FROM refund_taxes WHERE refund_id = NEW.id), 0);
  credit bigint := (SELECT coalesce(sum(tax_minor - amount_minor), 0) FROM balance_movements
    WHERE charge_id = NEW.charge_id AND refund_id = NEW.id AND reason IN ('refund', 'refund_failed'));
  is_scheduled boolean := share_to_come(NEW.charge_id, booking.day) IS NOT NULL;
  undone journal_entries;
  restored text;
BEGIN
  IF NEW.state = 'refunded' THEN
    PERFORM book(booking, 'open_refunds', 'payment_provider', credit);
    PERFORM book(booking, 'tax_payable', 'payment_provider', tax);
    PERFORM book_return(booking, 'payment_provider', NEW.amount_minor - tax - credit);
    RETURN NULL;
  END IF;
  FOR undone IN SELECT * FROM journal_entries
    WHERE merchant_id = NEW.merchant_id AND about = booking.about AND kind = 'refund' ORDER BY id
  LOOP
    restored := CASE WHEN undone.debit_account = 'gifts_outstanding' AND is_scheduled THEN 'deferred_revenue'
      ELSE undone.debit_account END;
    PERFORM book(booking, undone.credit_account, restored, undone.amount_minor);
    IF restored = 'deferred_revenue' THEN
      PERFORM schedule_revenue(booking, undone.amount_minor,
        (SELECT max(end_day) FROM revenue_schedules WHERE charge_id = NEW.charge_id));
    END IF;
  END LOOP;
  PERFORM book(booking, 'open_refunds', 'adjustments', credit);
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER refunds_inserted_booked AFTER INSERT ON refunds DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.state = 'refunded') EXECUTE FUNCTION book_refund();
CREATE CONSTRAINT TRIGGER refunds_booked AFTER UPDATE OF state ON refunds DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.state <> OLD.state AND NEW.state IN ('refunded', 'failed')) EXECUTE FUNCTION book_refund();
