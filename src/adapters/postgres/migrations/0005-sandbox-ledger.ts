import { type Migration } from './migration';

/** The books of the sandbox card provider: an outside party's, so without merchants, and never with a card number. */
export const sandboxLedger: Migration = {
  name: '0005-sandbox-ledger',
  up: `
    CREATE TABLE sandbox_cards (
      token text PRIMARY KEY,
      outcome text NOT NULL CHECK (outcome IN ('success', 'declined', 'insufficient_funds', 'expired_card',
        'needs_authentication', 'timeout_before_charging', 'timeout_after_charging')),
      last_four text NOT NULL CHECK (last_four ~ '^[0-9]{4}$'),
      created_at timestamptz NOT NULL DEFAULT now()
    );

    CREATE TABLE sandbox_charges (
      idempotency_key text PRIMARY KEY,
      reference text NOT NULL UNIQUE,
      token text NOT NULL REFERENCES sandbox_cards (token),
      amount_minor bigint NOT NULL CHECK (amount_minor BETWEEN 1 AND 9007199254740991),
      currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
      description text NOT NULL,
      status text NOT NULL CHECK (status IN ('paid', 'requires_action', 'declined', 'not_charged')),
      decline_reason text,
      attempts int NOT NULL DEFAULT 1,
      return_url text,
      created_at timestamptz NOT NULL DEFAULT now(),
      charged_at timestamptz,
      CHECK ((status = 'paid') = (charged_at IS NOT NULL)),
      CHECK ((status = 'declined') = (decline_reason IS NOT NULL))
    );
  `,
};
