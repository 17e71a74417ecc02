-- The triggers that book chargebacks, gifts, fees of the provider and sales of app stores.

-- The number of bookings of a row, and what they have moved into an account.
CREATE FUNCTION booked_so_far(e journal_entries, account text, OUT steps int, OUT moved bigint) LANGUAGE sql STABLE AS $$
  SELECT count(DISTINCT step)::int,
    coalesce(sum(CASE WHEN debit_account = account THEN amount_minor WHEN credit_account = account THEN -amount_minor
      ELSE 0 END), 0)::bigint
  FROM journal_entries WHERE merchant_id = e.merchant_id AND about = e.about AND kind = e.kind
$$;

-- A chargeback: what the bank took, until the merchant has won it.
CREATE FUNCTION book_dispute() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  e journal_entries;
  taken bigint := (SELECT CASE WHEN is_won THEN 0 ELSE amount_minor END FROM disputes WHERE id = NEW.id);
  moved bigint;
BEGIN
  e.merchant_id := NEW.merchant_id;
  e.day := utc_day(CASE WHEN NEW.is_won THEN NEW.told_at ELSE NEW.opened_at END);
  e.kind := 'dispute';
  e.about := 'dispute:' || NEW.id;
  e.currency := NEW.currency;
  e.charge_id := NEW.charge_id;
  SELECT b.steps, b.moved INTO e.step, moved FROM booked_so_far(e, 'chargebacks') b;
  PERFORM book(e, 'chargebacks', 'payment_provider', taken - moved);
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER disputes_booked AFTER INSERT OR UPDATE OF is_won ON disputes DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION book_dispute();

-- A gift that is redeemed: its receiver is owed the days.
CREATE FUNCTION book_gift() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  e journal_entries;
  s revenue_schedules;
  until date;
  present timestamptz := merchant_now(NEW.merchant_id);
BEGIN
  SELECT c.id, c.currency, coalesce(utc_day(p.access_ends_at), day_after(present, p.period_quantity, p.period))
  INTO e.charge_id, e.currency, until
  FROM payments p JOIN charges c ON c.payment_id = p.id AND c.status = 'paid' WHERE p.token = NEW.payment_token;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  e.merchant_id := NEW.merchant_id;
  e.day := utc_day(present);
  e.kind := 'gift';
  e.about := 'gift:' || NEW.id;
  s.merchant_id := e.merchant_id;
  s.charge_id := e.charge_id;
  s.currency := e.currency;
  SELECT coalesce(sum(CASE WHEN credit_account = 'gifts_outstanding' THEN amount_minor ELSE -amount_minor END), 0)
  INTO s.amount_minor FROM journal_entries
  WHERE charge_id = e.charge_id AND 'gifts_outstanding' IN (debit_account, credit_account);
  s.first_day := e.day;
  s.booked_on := e.day;
  PERFORM book(e, 'gifts_outstanding', 'deferred_revenue', s.amount_minor);
  PERFORM schedule_revenue(s, until);
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER gift_vouchers_booked AFTER UPDATE OF state ON gift_vouchers DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.state = 'redeemed' AND OLD.state <> 'redeemed') EXECUTE FUNCTION book_gift();

-- A fee of the payment provider.
CREATE FUNCTION book_fee() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  e journal_entries;
BEGIN
  e.merchant_id := NEW.merchant_id;
  e.day := utc_day(NEW.happened_at);
  e.kind := 'fee';
  e.about := 'balance_transaction:' || NEW.id;
  e.currency := NEW.fee_currency;
  PERFORM book(e, 'provider_fees', 'payment_provider', NEW.fee_minor);
  RETURN NULL;
END $$;
CREATE TRIGGER balance_transactions_booked AFTER INSERT ON balance_transactions FOR EACH ROW
  WHEN (NEW.fee_minor <> 0) EXECUTE FUNCTION book_fee();

-- A payment in an app store, as the store reports it, before the store's share. A refund that the store reverses is income of
-- its day.
CREATE FUNCTION book_store_payment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  e journal_entries;
  s revenue_schedules;
  x store_payments;
  p store_purchases;
  moved bigint;
  until date;
BEGIN
  SELECT * INTO x FROM store_payments WHERE id = NEW.id;
  SELECT * INTO p FROM store_purchases WHERE id = NEW.store_purchase_id;
  IF NOT p.counts_money OR x.is_trial OR coalesce(x.amount_minor, 0) = 0 THEN
    RETURN NULL;
  END IF;
  e.merchant_id := x.merchant_id;
  e.day := utc_day(x.paid_at);
  e.kind := 'store_payment';
  e.about := 'store_payment:' || x.id;
  e.currency := x.currency;
  s.merchant_id := x.merchant_id;
  s.store_payment_id := x.id;
  s.currency := x.currency;
  s.first_day := e.day;
  s.booked_on := e.day;
  IF TG_OP = 'INSERT' THEN
    PERFORM book(e, 'app_stores', 'deferred_revenue', x.amount_minor);
    s.amount_minor := x.amount_minor;
    PERFORM schedule_revenue(s, utc_day(coalesce(p.expires_at, p.access_ends_at, x.paid_at)));
  END IF;
  e.kind := 'store_refund';
  SELECT b.steps, b.moved INTO e.step, moved FROM booked_so_far(e, 'app_stores') b;
  IF (x.refunded_at IS NOT NULL) = (moved <> 0) THEN
    RETURN NULL;
  END IF;
  e.day := utc_day(coalesce(x.refunded_at, merchant_now(x.merchant_id)));
  IF x.refunded_at IS NULL THEN
    PERFORM book(e, 'app_stores', 'refunds', x.amount_minor);
    RETURN NULL;
  END IF;
  s.first_day := e.day;
  s.booked_on := e.day;
  SELECT max(r.end_day),
    -sum(unearned(r.amount_minor, r.first_day, r.days, e.day - 1))
  INTO until, s.amount_minor FROM revenue_schedules r WHERE r.store_payment_id = x.id;
  PERFORM book(e, 'deferred_revenue', 'app_stores', -s.amount_minor);
  PERFORM book(e, 'refunds', 'app_stores', x.amount_minor + s.amount_minor);
  PERFORM schedule_revenue(s, until);
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER store_payments_booked AFTER INSERT OR UPDATE OF refunded_at ON store_payments
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION book_store_payment();
