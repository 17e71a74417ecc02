-- The triggers that book chargebacks, gifts, fees and payouts of the provider, and sales of app stores.

-- The number of bookings of a row, and what they have moved into an account.
CREATE FUNCTION booked_so_far(booking journal_entries, account text, OUT steps int, OUT moved bigint) LANGUAGE sql STABLE
  AS $$
  SELECT count(DISTINCT step)::int,
    coalesce(sum(CASE WHEN debit_account = account THEN amount_minor WHEN credit_account = account THEN -amount_minor
      ELSE 0 END), 0)::bigint
  FROM journal_entries WHERE merchant_id = booking.merchant_id AND about = booking.about AND kind = booking.kind
$$;

-- A chargeback: what the bank took, until the merchant has won it. The code of a gift ends with a chargeback and is valid
-- again after a win, and so is what its receiver is owed.
CREATE FUNCTION book_dispute() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  booking journal_entries := new_booking(NEW.merchant_id, CASE WHEN NEW.is_won THEN NEW.told_at ELSE NEW.opened_at END,
    'dispute', 'dispute:' || NEW.id, NEW.currency, NEW.charge_id);
  taken bigint := (SELECT CASE WHEN is_won THEN 0 ELSE amount_minor END FROM disputes WHERE id = NEW.id);
  returned bigint;
  gift bigint;
BEGIN
  SELECT b.steps, b.moved INTO booking.step, returned FROM booked_so_far(booking, 'payment_provider') b;
  PERFORM book(booking, 'chargebacks', 'payment_provider', taken + returned);
  SELECT CASE WHEN taken > 0 THEN gift_outstanding(NEW.charge_id) ELSE -b.moved END INTO gift
  FROM booked_so_far(booking, 'gifts_outstanding') b;
  PERFORM book(booking, 'gifts_outstanding', 'chargebacks', gift);
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER disputes_booked AFTER INSERT OR UPDATE OF is_won ON disputes DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION book_dispute();

-- The tax of a lost chargeback is not owed any more, so less of the chargeback is lost.
CREATE FUNCTION book_dispute_tax() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM book(new_booking(NEW.merchant_id, NEW.decided_at, 'dispute', 'dispute-tax:' || NEW.id,
    (SELECT currency FROM charges WHERE id = NEW.charge_id), NEW.charge_id), 'tax_payable', 'chargebacks', NEW.tax_minor);
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER dispute_taxes_booked AFTER INSERT ON dispute_taxes DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION book_dispute_tax();

-- A gift that is redeemed: its receiver is owed the days.
CREATE FUNCTION book_gift() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  present timestamptz := merchant_now(NEW.merchant_id);
  booking journal_entries;
  charge int;
  owed bigint;
  until date;
BEGIN
  SELECT c.id, utc_day(coalesce(p.access_ends_at, end_of_period(present, p.period_quantity, p.period))) INTO charge, until
  FROM payments p JOIN charges c ON c.payment_id = p.id AND c.status = 'paid' WHERE p.token = NEW.payment_token;
  IF FOUND THEN
    booking := new_booking(NEW.merchant_id, present, 'gift', 'gift:' || NEW.id, NEW.currency, charge);
    owed := gift_outstanding(charge);
    PERFORM book(booking, 'gifts_outstanding', 'deferred_revenue', owed);
    PERFORM schedule_revenue(booking, owed, until);
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER gift_vouchers_booked AFTER UPDATE OF state ON gift_vouchers DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.state = 'redeemed' AND OLD.state <> 'redeemed') EXECUTE FUNCTION book_gift();

-- A fee of the payment provider.
CREATE FUNCTION book_fee() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM book(new_booking(NEW.merchant_id, NEW.happened_at, 'fee', 'balance_transaction:' || NEW.id, NEW.fee_currency,
    NULL), 'provider_fees', 'payment_provider', NEW.fee_minor);
  RETURN NULL;
END $$;
CREATE TRIGGER balance_transactions_booked AFTER INSERT ON balance_transactions FOR EACH ROW
  WHEN (NEW.fee_minor <> 0) EXECUTE FUNCTION book_fee();

-- A payout of the payment provider. One that failed comes back.
CREATE FUNCTION book_payout() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM book(new_booking(NEW.merchant_id, NEW.happened_at, 'payout', 'balance_transaction:' || NEW.id, NEW.currency,
    NULL), 'bank', 'payment_provider', CASE NEW.kind WHEN 'payout' THEN NEW.amount_minor ELSE -NEW.amount_minor END);
  RETURN NULL;
END $$;
CREATE TRIGGER balance_transactions_paid_out AFTER INSERT ON balance_transactions FOR EACH ROW
  WHEN (NEW.kind IN ('payout', 'payout_failure')) EXECUTE FUNCTION book_payout();

-- A payment in an app store, as the store reports it, before the store's share. A refund that the store reverses is income of
-- its day.
CREATE FUNCTION book_store_payment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  booking journal_entries;
  payment store_payments;
  purchase store_purchases;
  moved bigint;
  unearned_part bigint;
  until date;
BEGIN
  SELECT * INTO payment FROM store_payments WHERE id = NEW.id;
  SELECT * INTO purchase FROM store_purchases WHERE id = NEW.store_purchase_id;
  IF NOT purchase.counts_money OR payment.is_trial OR coalesce(payment.amount_minor, 0) = 0 THEN
    RETURN NULL;
  END IF;
  booking := new_booking(payment.merchant_id, payment.paid_at, 'store_payment', 'store_payment:' || payment.id,
    payment.currency, NULL);
  IF TG_OP = 'INSERT' THEN
    PERFORM book(booking, 'app_stores', 'deferred_revenue', payment.amount_minor);
    PERFORM schedule_revenue(booking, payment.amount_minor,
      utc_day(coalesce(purchase.expires_at, purchase.access_ends_at, payment.paid_at)), payment.id);
  END IF;
  booking.kind := 'store_refund';
  booking.day := utc_day(coalesce(payment.refunded_at, merchant_now(payment.merchant_id)));
  SELECT b.steps, b.moved INTO booking.step, moved FROM booked_so_far(booking, 'app_stores') b;
  IF payment.refunded_at IS NULL AND moved <> 0 THEN
    PERFORM book(booking, 'app_stores', 'refunds', payment.amount_minor);
  ELSIF payment.refunded_at IS NOT NULL AND moved = 0 THEN
    SELECT max(end_day), coalesce(sum(unearned(amount_minor, first_day, days, booking.day - 1)), 0)
    INTO until, unearned_part
    FROM revenue_schedules WHERE store_payment_id = payment.id;
    PERFORM book(booking, 'deferred_revenue', 'app_stores', unearned_part);
    PERFORM book(booking, 'refunds', 'app_stores', payment.amount_minor - unearned_part);
    PERFORM schedule_revenue(booking, -unearned_part, until, payment.id);
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER store_payments_booked AFTER INSERT OR UPDATE OF refunded_at ON store_payments
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION book_store_payment();
