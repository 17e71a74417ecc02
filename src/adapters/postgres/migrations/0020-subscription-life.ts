import { type Migration } from './migration';

/**
 * A subscription's whole life: trial, renewals, dunning, pause and change of plans, as its workflow projects them, and
 * what a customer has in credit. `happened_at` and the like are the merchant's time, which a test clock moves.
 */
export const subscriptionLife: Migration = {
  name: '0020-subscription-life',
  up: `
    ALTER TABLE subscriptions
      ALTER COLUMN card_id DROP NOT NULL,
      -- Which period from the anchor this is. Cycles count charges, of which a change of plans is one too.
      ADD COLUMN period_no int NOT NULL DEFAULT 1,
      ADD COLUMN attempt int NOT NULL DEFAULT 1,
      -- Charges that a voucher has counted.
      ADD COLUMN discount_cycle int NOT NULL DEFAULT 0,
      -- What the period that has begun still costs, and what of it the customer's balance has paid.
      ADD COLUMN due_minor bigint NOT NULL DEFAULT 0 CHECK (due_minor >= 0),
      ADD COLUMN credit_minor bigint NOT NULL DEFAULT 0,
      -- What was paid for the time from paid_from to the period's end: no credit is above it.
      ADD COLUMN paid_minor bigint NOT NULL DEFAULT 0 CHECK (paid_minor >= 0),
      ADD COLUMN paid_from timestamptz,
      ADD COLUMN trial_quantity int,
      ADD COLUMN trial_period text,
      ADD COLUMN trial_start timestamptz,
      ADD COLUMN trial_end timestamptz,
      ADD COLUMN cancel_reason text NOT NULL DEFAULT '',
      ADD COLUMN pause_at_period_end boolean NOT NULL DEFAULT false,
      ADD COLUMN resumes_at timestamptz,
      ADD COLUMN pending_access_fee_id int,
      ADD COLUMN grace_days int,
      ADD COLUMN retry_days int[],
      ADD COLUMN past_due_at timestamptz,
      ADD COLUMN grace_ends_at timestamptz,
      ADD COLUMN retry_no int NOT NULL DEFAULT 0,
      ADD COLUMN sooner_no int NOT NULL DEFAULT 0,
      ADD COLUMN next_retry_at timestamptz,
      -- The mails that this stretch of the life has had.
      ADD COLUMN reminded text[] NOT NULL DEFAULT '{}',
      ADD FOREIGN KEY (merchant_id, pending_access_fee_id) REFERENCES access_fees (merchant_id, id);
    CREATE INDEX subscriptions_trials ON subscriptions (merchant_id, item_id) WHERE trial_start IS NOT NULL;
    UPDATE subscriptions s SET discount_cycle = cycle, paid_from = current_period_start, paid_minor = coalesce(
      (SELECT amount_minor FROM charges c WHERE c.subscription_id = s.id AND c.cycle = s.cycle AND c.status = 'paid'), 0)
    WHERE cycle > 0;

    ALTER TABLE subscription_events ADD COLUMN mrr_delta_minor bigint NOT NULL DEFAULT 0;

    ALTER TABLE charges ADD COLUMN decline_class text CHECK (decline_class IN ('soft', 'hard', 'later'));
    ALTER TABLE sandbox_cards DROP CONSTRAINT sandbox_cards_outcome_check;
    ALTER TABLE sandbox_cards ADD CHECK (outcome ~ '^[a-z_]{1,50}$');

    CREATE INDEX sandbox_charges_token ON sandbox_charges (token);

    -- Below zero: what the next invoice adds.
    CREATE TABLE customer_balances (
      merchant_id int NOT NULL,
      account_id int NOT NULL,
      currency char(3) NOT NULL,
      balance_minor bigint NOT NULL DEFAULT 0,
      updated_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (account_id, currency),
      FOREIGN KEY (merchant_id, account_id) REFERENCES accounts (merchant_id, id)
    );

    ALTER TABLE events ADD COLUMN happened_at timestamptz;

    ALTER TABLE merchant_settings
      ADD COLUMN grace_days int CHECK (grace_days IN (0, 2, 7, 14, 21)),
      ADD COLUMN retry_days int[];

    -- Messages of one workflow go out in order.
    CREATE INDEX outbox_workflow ON outbox (workflow_id, id);
  `,
};
