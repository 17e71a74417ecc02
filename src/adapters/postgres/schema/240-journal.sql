-- The double-entry journal of each merchant. An entry moves an amount from one account to another, so the books balance by
-- the form of the row. Entries are never changed or deleted. A correction is an entry in the other direction. Only the
-- entries of demo data are deleted, in a test environment.

CREATE DOMAIN journal_account AS text CHECK (VALUE IN (
  -- Assets: money at payment providers and app stores, what providers paid out to bank accounts, and tax that was paid for
  -- credits which customers still have.
  'payment_provider', 'bank', 'app_stores', 'tax_on_credits',
  -- Liabilities: credit of customers (less their debt), sales of days to come, gifts that nobody has redeemed, and tax.
  'customer_balances', 'deferred_revenue', 'gifts_outstanding', 'tax_payable',
  -- Clearing: balances that open charges use, and credits that open refunds take back.
  'open_charges', 'open_refunds',
  -- Income and expenses.
  'revenue', 'refunds', 'chargebacks', 'adjustments', 'provider_fees'
));

CREATE TABLE journal_entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Without a foreign key, so that parallel sales of a merchant do not lock its row.
  merchant_id int NOT NULL,
  -- The day in UTC, in merchant time.
  day date NOT NULL,
  kind text NOT NULL CHECK (kind IN ('charge', 'refund', 'refund_failed', 'dispute', 'balance', 'gift', 'fee',
    'payout', 'store_payment', 'store_refund', 'recognition')),
  -- The row that is booked, such as `refund:17`. It names no person.
  about text NOT NULL,
  -- Numbers the bookings of one row, for a row that can change back and forth.
  step int NOT NULL DEFAULT 0,
  debit_account journal_account NOT NULL,
  credit_account journal_account NOT NULL,
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  currency char(3) NOT NULL,
  charge_id int,
  booked_at timestamptz NOT NULL DEFAULT now(),
  CHECK (debit_account <> credit_account),
  UNIQUE (merchant_id, about, kind, step, currency, debit_account, credit_account),
  FOREIGN KEY (merchant_id, charge_id) REFERENCES charges (merchant_id, id)
);
CREATE INDEX journal_entries_merchant ON journal_entries (merchant_id, id DESC);
CREATE INDEX journal_entries_charge ON journal_entries (charge_id) WHERE charge_id IS NOT NULL;

-- Whether a removal of demo data is deleting what this entry books. The revenue of all days is booked again afterwards.
CREATE FUNCTION is_removed_demo_entry(e journal_entries) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT CASE e.kind
    WHEN 'recognition' THEN EXISTS (SELECT FROM demo_fills WHERE merchant_id = e.merchant_id AND state = 'removing')
    WHEN 'fee' THEN EXISTS (SELECT FROM balance_transactions t JOIN charges c ON c.reference = t.charge_reference
      WHERE 'balance_transaction:' || t.id = e.about AND is_removed_demo_charge(e.merchant_id, c.id))
    ELSE is_removed_demo_charge(e.merchant_id, e.charge_id) END
$$;

-- Guards the journal: entries are never changed, and only those of demo data are deleted.
CREATE FUNCTION refuse_entry_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the journal only grows';
END $$;
CREATE TRIGGER journal_entries_append_only BEFORE UPDATE OR TRUNCATE ON journal_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_entry_change();
CREATE TRIGGER journal_entries_kept BEFORE DELETE ON journal_entries FOR EACH ROW
  WHEN (NOT is_removed_demo_entry(OLD)) EXECUTE FUNCTION refuse_entry_change();

-- Guards the sums of reports: counts each entry under its kind and its accounts.
CREATE FUNCTION count_entry() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  e journal_entries;
  times int := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
BEGIN
  IF TG_OP = 'DELETE' THEN e := OLD; ELSE e := NEW; END IF;
  INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
  VALUES (e.merchant_id, 'journal', e.day, '{transfer}',
    ARRAY[e.kind || ':' || e.debit_account || ':' || e.credit_account], e.currency, times, times * e.amount_minor);
  RETURN NULL;
END $$;
CREATE TRIGGER journal_entries_counted AFTER INSERT OR DELETE ON journal_entries FOR EACH ROW
  EXECUTE FUNCTION count_entry();

-- The part that all entries of one booking have in common.
CREATE FUNCTION new_booking(merchant int, at timestamptz, kind text, about text, currency char(3), charge int)
  RETURNS journal_entries LANGUAGE plpgsql STABLE AS $$
DECLARE
  booking journal_entries;
BEGIN
  booking.merchant_id := merchant;
  booking.day := utc_day(at);
  booking.kind := kind;
  booking.about := about;
  booking.step := 0;
  booking.currency := currency;
  booking.charge_id := charge;
  RETURN booking;
END $$;

-- Writes an entry. A negative amount moves in the other direction, 0 writes nothing, and an entry that exists already is not
-- written again.
CREATE FUNCTION book(booking journal_entries, debit text, credit text, amount bigint) RETURNS void LANGUAGE sql AS $$
  INSERT INTO journal_entries (merchant_id, day, kind, about, step, debit_account, credit_account, amount_minor,
    currency, charge_id)
  SELECT booking.merchant_id, booking.day, booking.kind, booking.about, booking.step,
    CASE WHEN amount > 0 THEN debit ELSE credit END, CASE WHEN amount > 0 THEN credit ELSE debit END, abs(amount),
    booking.currency, booking.charge_id
  WHERE amount <> 0
  ON CONFLICT DO NOTHING
$$;

-- The days over which the net amount of a sale becomes revenue: day by day in equal parts, with the rest on the last one.
-- A negative amount is the part of a sale that was credited or refunded before its days had come.
CREATE TABLE revenue_schedules (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  merchant_id int NOT NULL,
  charge_id int,
  store_payment_id int REFERENCES store_payments (id),
  currency char(3) NOT NULL,
  amount_minor bigint NOT NULL CHECK (amount_minor <> 0),
  first_day date NOT NULL,
  days int NOT NULL CHECK (days BETWEEN 1 AND 36500),
  -- The day after the last one.
  end_day date NOT NULL GENERATED ALWAYS AS (first_day + days) STORED,
  booked_on date NOT NULL,
  CHECK (num_nonnulls(charge_id, store_payment_id) <= 1),
  FOREIGN KEY (merchant_id, charge_id) REFERENCES charges (merchant_id, id)
);
-- The deferred revenue of a day is read from the index alone.
CREATE INDEX revenue_schedules_merchant ON revenue_schedules (merchant_id, end_day, booked_on)
  INCLUDE (currency, amount_minor, first_day, days);
CREATE INDEX revenue_schedules_charge ON revenue_schedules (charge_id) WHERE charge_id IS NOT NULL;
CREATE INDEX revenue_schedules_store ON revenue_schedules (store_payment_id) WHERE store_payment_id IS NOT NULL;

-- The last day whose revenue is in the journal.
CREATE TABLE revenue_recognitions (
  merchant_id int PRIMARY KEY REFERENCES accounts (id),
  to_day date NOT NULL
);

-- What is left of a scheduled amount after a day.
CREATE FUNCTION unearned(amount bigint, first_day date, days int, after date) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT amount - amount * least(greatest(after - first_day + 1, 0), days) / days
$$;

-- Schedules an amount from the day of a booking until another day. At least one day gets the amount.
CREATE FUNCTION schedule_revenue(booking journal_entries, amount bigint, until date, store_payment int DEFAULT NULL)
  RETURNS void LANGUAGE sql AS $$
  INSERT INTO revenue_schedules (merchant_id, charge_id, store_payment_id, currency, amount_minor, first_day, days,
    booked_on)
  SELECT booking.merchant_id, booking.charge_id, store_payment, booking.currency, amount, booking.day,
    least(greatest(until - booking.day, 1), 36500), booking.day
  WHERE amount <> 0
$$;

-- The deferred revenue of a merchant in the journal, by currency.
CREATE FUNCTION deferred_revenue(of_merchant int) RETURNS TABLE (currency text, amount bigint) LANGUAGE sql STABLE AS $$
  SELECT currency, sum(CASE WHEN key LIKE '%:deferred_revenue' THEN amount_minor ELSE -amount_minor END)::bigint
  FROM (
    SELECT key, currency, amount_minor FROM daily_figures
    WHERE merchant_id = of_merchant AND figure = 'journal' AND dimension = 'transfer'
    UNION ALL
    SELECT keys[1], currency, amount_minor FROM figure_deltas WHERE merchant_id = of_merchant AND figure = 'journal'
  ) f
  WHERE key LIKE '%:deferred_revenue%' GROUP BY currency
$$;

-- Books the revenue of each day until the given one, and returns the number of entries. A day gets the difference between
-- what is deferred in the journal and what is unearned after the day. So a sale that is recorded late is caught up.
CREATE FUNCTION recognise_revenue(of_merchant int, until date) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  last_day date;
  booked int;
BEGIN
  IF NOT EXISTS (SELECT FROM revenue_recognitions WHERE merchant_id = of_merchant) THEN
    INSERT INTO revenue_recognitions (merchant_id, to_day)
    SELECT of_merchant, min(first_day) - 1 FROM revenue_schedules WHERE merchant_id = of_merchant
    HAVING min(first_day) <= until ON CONFLICT DO NOTHING;
  END IF;
  SELECT to_day INTO last_day FROM revenue_recognitions WHERE merchant_id = of_merchant FOR UPDATE;
  IF last_day IS NULL OR last_day >= until THEN
    RETURN 0;
  END IF;
  WITH targets AS (
    SELECT b.currency, b.amount AS deferred, d::date AS day, coalesce((
      SELECT sum(unearned(s.amount_minor, s.first_day, s.days, d::date)) FROM revenue_schedules s
      WHERE s.merchant_id = of_merchant AND s.end_day > d::date + 1 AND s.currency = b.currency), 0)::bigint AS unearned
    FROM deferred_revenue(of_merchant) b
      CROSS JOIN generate_series(last_day + 1, until, interval '1 day') AS d
  ), amounts AS (
    SELECT currency, day,
      coalesce(lag(unearned) OVER (PARTITION BY currency ORDER BY day), deferred) - unearned AS amount
    FROM targets
  ), entries AS (
    INSERT INTO journal_entries (merchant_id, day, kind, about, debit_account, credit_account, amount_minor, currency)
    SELECT of_merchant, day, 'recognition', 'day:' || day,
      CASE WHEN amount > 0 THEN 'deferred_revenue' ELSE 'revenue' END,
      CASE WHEN amount > 0 THEN 'revenue' ELSE 'deferred_revenue' END, abs(amount), currency
    FROM amounts WHERE amount <> 0 ORDER BY day, currency RETURNING 1
  )
  SELECT count(*) INTO booked FROM entries;
  UPDATE revenue_recognitions SET to_day = until WHERE merchant_id = of_merchant;
  RETURN booked;
END $$;
