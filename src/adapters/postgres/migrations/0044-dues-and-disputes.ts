import { type Migration } from './migration';

/** Dues too small to charge, how a revoked subscription stood, disputes in their order, and charges given back unasked. */
export const duesAndDisputes: Migration = {
  name: '0044-dues-and-disputes',
  up: `
    ALTER TABLE subscriptions
      -- Of credit_minor, what is owed: too little to be charged by itself.
      ADD COLUMN carried_minor bigint NOT NULL DEFAULT 0 CHECK (carried_minor >= 0),
      ADD COLUMN state_before_revocation text
        CHECK (state_before_revocation IN ('trialing', 'active', 'past_due', 'on_hold', 'paused'));

    -- What a payer's bank takes back: the newest word of each dispute, by the provider's own time.
    CREATE TABLE disputes (
      provider text NOT NULL,
      id text NOT NULL,
      charge_id int NOT NULL REFERENCES charges (id),
      is_won boolean NOT NULL,
      told_at timestamptz NOT NULL,
      PRIMARY KEY (provider, id)
    );
    CREATE INDEX disputes_charge ON disputes (charge_id);

    -- A success that came after the failure went back to the payer.
    ALTER TABLE charges ADD COLUMN returned_at timestamptz;
    CREATE INDEX charges_given_up ON charges (id) WHERE status = 'declined' AND returned_at IS NULL
      AND decline_reason IN ('provider_unavailable', 'provider_silent', 'authentication_expired', 'account_erased');

    -- How often the same word was promised while it waited: a word that was sent once and promised again is sent again.
    ALTER TABLE outbox ADD COLUMN promised int NOT NULL DEFAULT 1;

    -- Of a payment's access: from when its time counts, which is later than its start where it extends another.
    ALTER TABLE accesses ADD COLUMN counts_from timestamptz;
  `,
};
