-- The books of the sandbox card provider. It stands for an outside company: its tables have no merchants and no card
-- numbers.

CREATE TABLE sandbox_cards (
  token text PRIMARY KEY,
  -- What charges and refunds of the card result in.
  outcome text NOT NULL CHECK (outcome ~ '^[a-z_]{1,50}$'),
  refund_outcome text NOT NULL DEFAULT 'success'
    CHECK (refund_outcome ~ '^[a-z_]{1,50}$'),
  last_four text NOT NULL CHECK (last_four ~ '^[0-9]{4}$'),
  created_at timestamptz NOT NULL DEFAULT now(),
  forgotten_at timestamptz
);

CREATE TABLE sandbox_charges (
  idempotency_key text PRIMARY KEY,
  reference text NOT NULL UNIQUE,
  token text NOT NULL REFERENCES sandbox_cards (token),
  amount_minor bigint NOT NULL CHECK (amount_minor BETWEEN 1 AND 9007199254740991),
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  description text NOT NULL,
  -- `awaits_payer`: the bank wants the absent payer to authenticate. `requires_action`: the payer authenticates now.
  -- `processing`: a direct debit on which the bank decides at `decides_at`.
  status text NOT NULL
    CHECK (status IN ('paid', 'requires_action', 'awaits_payer', 'processing', 'declined', 'not_charged')),
  decline_reason text,
  -- Of a direct debit, in the merchant's time: when the bank decides and how, and when the payer takes the money back.
  decides_at timestamptz,
  planned_decline text,
  returns_at timestamptz,
  -- In real time, like `charged_at`.
  returned_at timestamptz,
  attempts int NOT NULL DEFAULT 1,
  return_url text,
  created_at timestamptz NOT NULL DEFAULT now(),
  charged_at timestamptz,
  CHECK ((status = 'paid') = (charged_at IS NOT NULL)),
  CHECK ((status = 'declined') = (decline_reason IS NOT NULL))
);
CREATE INDEX sandbox_charges_token ON sandbox_charges (token);

-- Cards that are saved without a charge.
CREATE TABLE sandbox_setups (
  reference text PRIMARY KEY,
  token text NOT NULL REFERENCES sandbox_cards (token),
  description text NOT NULL,
  status text NOT NULL CHECK (status IN ('verified', 'requires_action', 'declined')),
  decline_reason text,
  return_url text,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((status = 'declined') = (decline_reason IS NOT NULL))
);
CREATE INDEX sandbox_setups_token ON sandbox_setups (token);

CREATE TABLE sandbox_refunds (
  idempotency_key text PRIMARY KEY,
  reference text NOT NULL UNIQUE,
  charge_key text NOT NULL REFERENCES sandbox_charges (idempotency_key),
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  status text NOT NULL CHECK (status IN ('refunded', 'pending', 'failed', 'not_refunded')),
  attempts int NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sandbox_refunds_charge ON sandbox_refunds (charge_key);

-- Like a provider, the sandbox refunds at most what a charge has paid. The lock lets parallel refunds of a charge wait for
-- each other, and the sum is read after it.
CREATE FUNCTION refuse_refund_above_charge() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  paid bigint;
  refunded bigint;
BEGIN
  SELECT amount_minor INTO paid FROM sandbox_charges WHERE idempotency_key = NEW.charge_key FOR UPDATE;
  SELECT coalesce(sum(amount_minor), 0) INTO refunded FROM sandbox_refunds
  WHERE charge_key = NEW.charge_key AND status <> 'failed';
  IF refunded + NEW.amount_minor > paid THEN
    NEW.status := 'failed';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER sandbox_refunds_within_charge BEFORE INSERT ON sandbox_refunds FOR EACH ROW
  EXECUTE FUNCTION refuse_refund_above_charge();
