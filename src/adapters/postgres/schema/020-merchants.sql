-- Settings of a merchant, and its followers: merchants with access to the merchant's account.

CREATE TABLE merchant_settings (
  merchant_id int PRIMARY KEY REFERENCES accounts (id),
  -- How many sessions a customer can have at the same time.
  session_limit int CHECK (session_limit >= 1),
  -- A session ends when it was not used for this time.
  session_idle_minutes int CHECK (session_idle_minutes >= 5),
  -- How long a customer keeps access after a failed renewal, and after how many days the renewal is tried again.
  grace_days int CHECK (grace_days IN (0, 2, 7, 14, 21)),
  retry_days int[],
  -- A payment is refunded when the card network reports it as probably fraudulent.
  refund_fraud_warnings boolean NOT NULL DEFAULT false,
  -- `best`: a planned retry waits for the hour in which charges after such a decline succeed most often.
  retry_timing text NOT NULL DEFAULT 'fixed' CHECK (retry_timing IN ('fixed', 'best')),
  -- Customers are reminded 30 and 7 days before their card expires.
  card_expiry_reminders boolean NOT NULL DEFAULT true,
  -- How many days before a renewal customers are reminded. 0: not at all.
  renewal_reminder_days int NOT NULL DEFAULT 0 CHECK (renewal_reminder_days BETWEEN 0 AND 60),
  -- How customers can pay. Null: by card.
  payment_methods text[] CHECK (payment_methods <@ '{card,link,google_pay,apple_pay,direct_debit,ideal,bancontact,paypal}' AND payment_methods <> '{}'),
  -- Whether a first direct debit opens access when it is submitted, or when its money has arrived.
  debit_access text NOT NULL DEFAULT 'with_payment' CHECK (debit_access IN ('at_submission', 'with_payment')),
  -- A refund above this amount, in the major unit of its currency, requires a recent confirmation.
  refund_confirmation_above int NOT NULL DEFAULT 100 CHECK (refund_confirmation_above >= 0),
  -- `required`: people who sign in for the merchant need a second factor or a passkey.
  second_factor_policy text NOT NULL DEFAULT 'optional' CHECK (second_factor_policy IN ('optional', 'required')),
  -- Whether the console shows the steps to the first sale.
  setup_checklist boolean NOT NULL DEFAULT true,
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- What the operator has decided about a merchant. A merchant without a row is open.
CREATE TABLE merchant_states (
  merchant_id int PRIMARY KEY REFERENCES accounts (id),
  -- The merchant has registered and waits for the operator's approval. Its customers cannot come in yet.
  waiting_since timestamptz,
  -- Nobody of the merchant can sign in.
  suspended_at timestamptz,
  -- The reason that the merchant reads. No personal data.
  suspension_reason text CHECK (length(suspension_reason) <= 500),
  -- The master with which a follower was suspended. The follower resumes with it.
  suspended_with int REFERENCES accounts (id),
  -- The merchant is on its way to another installation, or has arrived and was not started yet. Until then no run, mail,
  -- webhook or comparison with a provider works for it.
  moving_since timestamptz,
  -- The merchant lives in another installation, and never opens here again.
  moved_at timestamptz,
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((suspended_at IS NULL) = (suspension_reason IS NULL)),
  CHECK (moving_since IS NULL OR suspended_at IS NOT NULL),
  CHECK (moved_at IS NULL OR moving_since IS NOT NULL)
);
CREATE INDEX merchant_states_with ON merchant_states (suspended_with) WHERE suspended_with IS NOT NULL;

-- Guards the cache of callers: replicas drop all sessions of a merchant from memory when it is suspended, or when it
-- starts or stops to require second factors.
CREATE FUNCTION notify_merchant_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('merchant_states', NEW.merchant_id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER merchant_states_changed AFTER INSERT OR UPDATE ON merchant_states FOR EACH ROW
  EXECUTE FUNCTION notify_merchant_state();
CREATE TRIGGER merchant_settings_policy_set AFTER INSERT ON merchant_settings FOR EACH ROW
  WHEN (NEW.second_factor_policy <> 'optional') EXECUTE FUNCTION notify_merchant_state();
CREATE TRIGGER merchant_settings_policy_changed AFTER UPDATE OF second_factor_policy ON merchant_settings FOR EACH ROW
  WHEN (OLD.second_factor_policy <> NEW.second_factor_policy) EXECUTE FUNCTION notify_merchant_state();

-- The files with which merchants leave this installation or have come to it. `id` is the name of the file.
CREATE TABLE merchant_moves (
  id uuid PRIMARY KEY,
  merchant_id int NOT NULL REFERENCES accounts (id),
  direction text NOT NULL CHECK (direction IN ('out', 'in')),
  -- Out: the code that starts the merchant in the other installation. It is shown when nothing can start here any more.
  sealed_code bytea,
  -- Out: the number of rows and a digest of each table, as they are in the file.
  tables jsonb,
  -- In: the hash of the code.
  code_hash bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Out: the merchant was marked as moved. In: it was started.
  finished_at timestamptz,
  CHECK ((direction = 'out') = (sealed_code IS NOT NULL)),
  CHECK ((direction = 'out') = (tables IS NOT NULL)),
  CHECK ((direction = 'in') = (code_hash IS NOT NULL))
);
CREATE INDEX merchant_moves_merchant ON merchant_moves (merchant_id, created_at DESC);

CREATE TABLE feature_flags (
  merchant_id int NOT NULL REFERENCES accounts (id),
  name text NOT NULL,
  enabled boolean NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, name)
);

-- The fields of the registration form. The answers are in `accounts.metadata`.
CREATE TABLE register_fields (
  id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  merchant_id int NOT NULL REFERENCES accounts (id),
  name text NOT NULL,
  label text NOT NULL,
  type text NOT NULL CHECK (type IN ('text', 'input', 'textarea', 'checkbox', 'radio', 'select', 'country',
    'us_state', 'datepicker')),
  is_required boolean NOT NULL,
  default_value text NOT NULL DEFAULT '',
  placeholder text NOT NULL DEFAULT '',
  -- Not jsonb, which would sort the options.
  options json NOT NULL DEFAULT '{}',
  UNIQUE (merchant_id, id),
  CONSTRAINT register_fields_name UNIQUE (merchant_id, name)
);

-- Keys of video platforms.
CREATE TABLE platform_keys (
  merchant_id int NOT NULL REFERENCES accounts (id),
  platform text NOT NULL,
  sealed_keys bytea NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, platform)
);

-- Addresses that visitors have left for a merchant.
CREATE TABLE data_captures (
  id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  merchant_id int NOT NULL REFERENCES accounts (id),
  email text NOT NULL,
  email_normalized text NOT NULL,
  full_name text NOT NULL,
  company text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (merchant_id, email_normalized)
);
CREATE INDEX data_captures_merchant ON data_captures (merchant_id, id DESC);
CREATE INDEX data_captures_updated ON data_captures (updated_at);

-- A test clock moves a merchant's time ahead.
CREATE TABLE test_clocks (
  merchant_id int PRIMARY KEY REFERENCES accounts (id),
  ahead interval NOT NULL CHECK (ahead >= interval '0'),
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- The present time of a merchant. All rules about time use it, so that a test clock moves all of them together.
CREATE FUNCTION merchant_now(merchant int) RETURNS timestamptz LANGUAGE sql STABLE AS
  'SELECT now() + coalesce((SELECT ahead FROM test_clocks WHERE merchant_id = merchant), interval ''0'')';

-- A catalogue and customers of invented people that a merchant of a test environment asked for, one at a time.
CREATE TABLE demo_fills (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  token uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
  merchant_id int NOT NULL UNIQUE REFERENCES accounts (id),
  requested_by int NOT NULL REFERENCES accounts (id),
  -- `removing`: its rows are about to be deleted. The next filling replaces the row of a `removed` one.
  state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'removing', 'removed')),
  steps_done int NOT NULL DEFAULT 0,
  -- In the merchant's time.
  begins_at timestamptz NOT NULL,
  next_due_at timestamptz NOT NULL DEFAULT now(),
  run_checked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX demo_fills_due ON demo_fills (next_due_at) WHERE state = 'running';

-- The rows that a filling has created, so that a removal deletes these and no others. Rows that belong to one of them, such
-- as the charges of a subscription, are not listed.
CREATE TABLE demo_rows (
  fill_id int NOT NULL REFERENCES demo_fills (id) ON DELETE CASCADE,
  merchant_id int NOT NULL REFERENCES accounts (id),
  kind text NOT NULL CHECK (kind IN ('account', 'item', 'access_type', 'access_fee', 'voucher', 'subscription',
    'payment')),
  row_id int NOT NULL,
  -- What a removal leaves, because rows of a person need it: nothing, the row, or a customer with its purchases.
  keeps text NOT NULL DEFAULT 'nothing' CHECK (keeps IN ('nothing', 'row', 'all')),
  PRIMARY KEY (fill_id, kind, row_id)
);
CREATE INDEX demo_rows_row ON demo_rows (kind, row_id);

-- Whether a removal of demo data is deleting this row. No other row of the books and no other document can be deleted.
CREATE FUNCTION is_removed_demo_row(merchant int, of_kind text, of_row int, most text DEFAULT 'nothing') RETURNS boolean
  LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM demo_rows r JOIN demo_fills f ON f.id = r.fill_id
    WHERE f.merchant_id = merchant AND f.state = 'removing' AND r.kind = of_kind AND r.row_id = of_row
      AND r.keeps IN ('nothing', most))
$$;

-- The row of a removed follower stays: the follower's account still belongs to its master, and has no scopes.
CREATE TABLE follower_relations (
  follower_id int PRIMARY KEY REFERENCES accounts (id),
  master_id int NOT NULL REFERENCES accounts (id),
  scopes text[] NOT NULL,
  methods jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  removed_at timestamptz,
  CHECK (follower_id <> master_id)
);
CREATE INDEX follower_relations_master ON follower_relations (master_id);

-- Guards the cache of callers: replicas drop a follower from memory when its scopes change.
CREATE FUNCTION notify_relation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A removal also ends the follower's sessions, so its sockets close without a request to reconnect.
  PERFORM pg_notify(CASE WHEN NEW.removed_at IS NULL THEN 'accounts' ELSE 'account_states' END,
    coalesce(NEW.follower_id, OLD.follower_id)::text);
  RETURN NULL;
END $$;
CREATE TRIGGER follower_relations_changed AFTER INSERT OR UPDATE OR DELETE ON follower_relations FOR EACH ROW
  EXECUTE FUNCTION notify_relation();
