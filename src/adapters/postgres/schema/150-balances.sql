-- Balances of customers. Each movement is a row, with one row per cause, and the balance is their sum. A charge uses
-- the balance when it is opened.

CREATE TABLE customer_balances (
  merchant_id int NOT NULL,
  account_id int NOT NULL,
  currency char(3) NOT NULL,
  -- Negative: a debt, which the next charge collects.
  balance_minor bigint NOT NULL DEFAULT 0,
  -- The tax that is contained in the credit, and that was paid already.
  tax_minor bigint NOT NULL DEFAULT 0,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, currency),
  FOREIGN KEY (merchant_id, account_id) REFERENCES accounts (merchant_id, id)
);
CREATE INDEX customer_balances_merchant ON customer_balances (merchant_id, currency) WHERE balance_minor <> 0;
CREATE TRIGGER customer_balances_not_erased BEFORE INSERT ON customer_balances FOR EACH ROW
  WHEN (NEW.account_id IS NOT NULL) EXECUTE FUNCTION refuse_erased_account();

CREATE TABLE balance_movements (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  merchant_id int NOT NULL,
  account_id int NOT NULL,
  currency char(3) NOT NULL,
  -- Positive: in favour of the customer.
  amount_minor bigint NOT NULL CHECK (amount_minor <> 0),
  -- The part of the amount that is tax of an earlier charge (see `tax_movement`).
  tax_minor bigint NOT NULL DEFAULT 0,
  reason text NOT NULL CHECK (reason IN ('plan_change', 'charge', 'charge_declined', 'refund', 'refund_failed',
    'refund_credit', 'dispute', 'dispute_won', 'adjustment', 'erasure')),
  -- The step that wrote the row. A repeated step does not write it again.
  cause text NOT NULL,
  charge_id int,
  refund_id int,
  subscription_id int,
  -- The account that requested the movement. Null: it followed from something else.
  actor_account_id int,
  note text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL,
  UNIQUE (account_id, cause),
  FOREIGN KEY (merchant_id, account_id) REFERENCES accounts (merchant_id, id)
);
CREATE INDEX balance_movements_account ON balance_movements (account_id, id);
CREATE INDEX balance_movements_merchant ON balance_movements (merchant_id, created_at);
CREATE INDEX balance_movements_charge ON balance_movements (charge_id) WHERE charge_id IS NOT NULL;
CREATE TRIGGER balance_movements_not_erased BEFORE INSERT ON balance_movements
  FOR EACH ROW EXECUTE FUNCTION refuse_erased_account();

-- Guards the sum: adds each new movement to the balance.
CREATE FUNCTION add_balance_movement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO customer_balances AS b (merchant_id, account_id, currency, balance_minor, tax_minor)
  VALUES (NEW.merchant_id, NEW.account_id, NEW.currency, NEW.amount_minor, NEW.tax_minor)
  ON CONFLICT (account_id, currency)
    DO UPDATE SET balance_minor = b.balance_minor + excluded.balance_minor, tax_minor = b.tax_minor + excluded.tax_minor,
      updated_at = now();
  RETURN NULL;
END $$;
CREATE TRIGGER balance_movements_add AFTER INSERT ON balance_movements
  FOR EACH ROW EXECUTE FUNCTION add_balance_movement();

-- Guards the sum: refuses every other change of a balance or of a movement. Only triggers may write a balance.
CREATE FUNCTION refuse_balance_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a balance changes by its movements only';
END $$;
CREATE TRIGGER customer_balances_by_movements BEFORE INSERT OR UPDATE ON customer_balances
  FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_balance_change();
CREATE TRIGGER balance_movements_stay BEFORE UPDATE OF account_id, currency, amount_minor, tax_minor
  ON balance_movements FOR EACH ROW EXECUTE FUNCTION refuse_balance_change();
-- A removal of demo data deletes whole balances, with all of their movements.
CREATE TRIGGER customer_balances_kept BEFORE DELETE ON customer_balances FOR EACH ROW
  WHEN (NOT is_removed_demo_row(OLD.merchant_id, 'account', OLD.account_id, 'row')) EXECUTE FUNCTION refuse_balance_change();
CREATE TRIGGER balance_movements_kept BEFORE DELETE ON balance_movements FOR EACH ROW
  WHEN (NOT is_removed_demo_row(OLD.merchant_id, 'account', OLD.account_id, 'row')) EXECUTE FUNCTION refuse_balance_change();
