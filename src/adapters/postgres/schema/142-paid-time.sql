-- The time that a charge pays for. Invoices, the revenue schedule and evidence in disputes read it.

-- The end of a period that begins at an instant, in UTC (see `periodEnd`).
CREATE FUNCTION end_of_period(start timestamptz, quantity int, period text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT ((start AT TIME ZONE 'UTC') + (quantity || ' ' || period)::interval) AT TIME ZONE 'UTC'
$$;

-- Guards the time that a charge pays for, by the rule of `renewSubscription`: a first period, one that is over, and one
-- after a hold or a pause begin with the payment. A direct debit that is paid late keeps the period that it was submitted
-- for. A recorded charge of a later cycle than that of the restored row begins with its payment. A charge of a debt alone pays
-- for no time.
CREATE FUNCTION fix_paid_time() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  at timestamptz := coalesce(NEW.settled_at, NEW.created_at);
BEGIN
  IF NEW.balance_minor < 0 AND NEW.amount_minor + NEW.balance_minor = 0 THEN
    RETURN NEW;
  END IF;
  SELECT CASE WHEN runs THEN current_period_start ELSE at END,
    CASE WHEN runs THEN current_period_end ELSE end_of_period(at, period_quantity, period) END
  INTO NEW.period_start, NEW.period_end
  FROM (
    SELECT *, current_period_end IS NOT NULL AND (NEW.recorded_at IS NULL OR NEW.cycle = cycle) AND (state = 'active' AND processing_at IS NOT NULL
      OR state NOT IN ('on_hold', 'paused') AND current_period_end > at) AS runs
    FROM subscriptions WHERE id = NEW.subscription_id
  ) s
  UNION ALL
  SELECT at, coalesce(access_ends_at, end_of_period(at, period_quantity, period))
  FROM payments WHERE id = NEW.payment_id AND NOT is_gift;
  RETURN NEW;
END $$;
CREATE TRIGGER charges_fix_their_time BEFORE INSERT OR UPDATE OF status ON charges FOR EACH ROW
  WHEN (NEW.status = 'paid' AND NEW.period_start IS NULL) EXECUTE FUNCTION fix_paid_time();
