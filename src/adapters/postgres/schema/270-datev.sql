-- How the journal of a merchant becomes a file for the accounting programs of DATEV.

CREATE TABLE datev_settings (
  merchant_id int PRIMARY KEY REFERENCES accounts (id),
  -- The numbers of the tax adviser and of the merchant there.
  consultant_number int NOT NULL CHECK (consultant_number BETWEEN 1001 AND 9999999),
  client_number int NOT NULL CHECK (client_number BETWEEN 1 AND 99999),
  chart text NOT NULL CHECK (chart IN ('skr03', 'skr04')),
  account_length int NOT NULL CHECK (account_length BETWEEN 4 AND 8),
  -- The month with whose first day a fiscal year begins.
  fiscal_year_month int NOT NULL CHECK (fiscal_year_month BETWEEN 1 AND 12),
  -- The merchant's own numbers by the account of the journal. Other accounts have the number of the chart.
  account_numbers jsonb NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);
