import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

/** Times are ISO 8601 in UTC with milliseconds, so that they compare as texts. */
const schema = `
CREATE TABLE IF NOT EXISTS cards (
  token text PRIMARY KEY,
  outcome text NOT NULL,
  refund_outcome text NOT NULL DEFAULT 'success',
  last_four text NOT NULL,
  created_at text NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  forgotten_at text
) STRICT;

CREATE TABLE IF NOT EXISTS charges (
  idempotency_key text PRIMARY KEY,
  reference text NOT NULL UNIQUE,
  token text NOT NULL REFERENCES cards (token),
  amount_minor integer NOT NULL CHECK (amount_minor BETWEEN 1 AND 9007199254740991),
  currency text NOT NULL,
  description text NOT NULL,
  -- awaits_payer: the bank wants the absent payer to authenticate. requires_action: the payer authenticates now.
  -- processing: a direct debit on which the bank decides at decides_at.
  status text NOT NULL
    CHECK (status IN ('paid', 'requires_action', 'awaits_payer', 'processing', 'declined', 'not_charged')),
  decline_reason text,
  -- Of a direct debit, in the merchant's time: when the bank decides and how, and when the payer takes the money back.
  decides_at text,
  planned_decline text,
  returns_at text,
  -- In real time, like charged_at.
  returned_at text,
  attempts integer NOT NULL DEFAULT 1,
  return_url text,
  -- The ids of the payer that came with the charge.
  merchant_id integer,
  account_id integer,
  created_at text NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  charged_at text,
  CHECK ((status = 'paid') = (charged_at IS NOT NULL)),
  CHECK ((status = 'declined') = (decline_reason IS NOT NULL))
) STRICT;
CREATE INDEX IF NOT EXISTS charges_token ON charges (token);

-- Cards that are saved without a charge.
CREATE TABLE IF NOT EXISTS setups (
  reference text PRIMARY KEY,
  token text NOT NULL REFERENCES cards (token),
  description text NOT NULL,
  status text NOT NULL CHECK (status IN ('verified', 'requires_action', 'declined')),
  decline_reason text,
  return_url text,
  created_at text NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  CHECK ((status = 'declined') = (decline_reason IS NOT NULL))
) STRICT;
CREATE INDEX IF NOT EXISTS setups_token ON setups (token);

-- Payments that payers make on a page of their bank or of PayPal. The mandate pays for later charges.
CREATE TABLE IF NOT EXISTS redirects (
  token text PRIMARY KEY REFERENCES cards (token),
  method text NOT NULL,
  saves_mandate integer NOT NULL DEFAULT 0,
  mandate_token text REFERENCES cards (token)
) STRICT;

CREATE TABLE IF NOT EXISTS refunds (
  idempotency_key text PRIMARY KEY,
  reference text NOT NULL UNIQUE,
  charge_key text NOT NULL REFERENCES charges (idempotency_key),
  amount_minor integer NOT NULL CHECK (amount_minor > 0),
  status text NOT NULL CHECK (status IN ('refunded', 'pending', 'failed', 'not_refunded')),
  attempts integer NOT NULL DEFAULT 1,
  created_at text NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
) STRICT;
CREATE INDEX IF NOT EXISTS refunds_charge ON refunds (charge_key);

-- Payments that the bank of a payer takes back.
CREATE TABLE IF NOT EXISTS disputes (
  reference text PRIMARY KEY,
  charge_key text NOT NULL REFERENCES charges (idempotency_key),
  reason text NOT NULL,
  amount_minor integer NOT NULL CHECK (amount_minor > 0),
  status text NOT NULL CHECK (status IN ('needs_response', 'under_review', 'won', 'lost')),
  evidence text,
  due_at text NOT NULL,
  opened_at text NOT NULL,
  won_at text,
  changed_at text NOT NULL,
  CHECK ((status = 'won') = (won_at IS NOT NULL))
) STRICT;
CREATE INDEX IF NOT EXISTS disputes_charge ON disputes (charge_key);

-- Cards that payers have entered in the payment form. Each token becomes a card of the service once.
CREATE TABLE IF NOT EXISTS form_tokens (
  token text PRIMARY KEY,
  card text NOT NULL,
  created_at text NOT NULL,
  used_at text
) STRICT;

-- What the provider reports by itself. The content is JSON.
CREATE TABLE IF NOT EXISTS notifications (
  id text PRIMARY KEY,
  content text NOT NULL,
  created_at text NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  delivered_at text
) STRICT;

-- Money that goes to the bank account of the merchant. Below zero, it comes from there. A payout that fails comes back.
CREATE TABLE IF NOT EXISTS payouts (
  reference text PRIMARY KEY,
  amount_minor integer NOT NULL CHECK (amount_minor <> 0),
  currency text NOT NULL,
  created_at text NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  failed_at text
) STRICT;
`;

export const bookNames = ['cards', 'charges', 'setups', 'refunds', 'disputes', 'payouts'] as const;

/** The books of one account. A statement is on the disk when it returns. Statements of one process run one by one. */
export interface Books {
  query: (text: string, values?: readonly SQLInputValue[]) => Record<string, unknown>[];
  close(): void;
}

/** `folder` undefined: the books are in memory, for tests. */
export function openBooks(folder: string | undefined, accountId: string): Books {
  if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(folder === undefined ? ':memory:' : fileOf(folder, accountId));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
  database.exec(schema);
  const prepared = new Map<string, StatementSync>();
  return {
    query(text, values = []) {
      const statement = prepared.get(text) ?? database.prepare(text);
      prepared.set(text, statement);
      return statement.all(Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value])));
    },
    close: () => database.close(),
  };
}

export const fileOf = (folder: string, accountId: string) => join(folder, `${accountId}.sqlite`);

export const timeNow = () => new Date().toISOString();
