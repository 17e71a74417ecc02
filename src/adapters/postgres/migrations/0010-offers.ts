import { type Migration } from './migration';

/**
 * What a fee may offer besides its price, what a subscription keeps of the voucher it was bought with, every way to get
 * access, and a merchant's own time. `merchant_now()` is the present of every rule: only a test clock moves it ahead.
 */
export const offers: Migration = {
  name: '0010-offers',
  up: `
    ALTER TABLE access_fees
      ADD COLUMN trial_quantity int CHECK (trial_quantity BETWEEN 1 AND 1000),
      ADD COLUMN trial_period text CHECK (trial_period IN ('hour', 'day', 'week', 'month', 'year')),
      ADD COLUMN trial_description text,
      ADD CHECK ((trial_quantity IS NULL) = (trial_period IS NULL));

    -- As the voucher was when it was used: a voucher that is changed later changes no running price.
    ALTER TABLE subscriptions
      ADD COLUMN voucher_id int,
      ADD COLUMN voucher_code text NOT NULL DEFAULT '',
      ADD COLUMN discount_percent int CHECK (discount_percent BETWEEN 1 AND 100),
      ADD COLUMN rebill_percent int CHECK (rebill_percent BETWEEN 0 AND 100),
      ADD COLUMN discount_period text CHECK (discount_period IN ('once', 'repeating', 'forever')),
      ADD COLUMN discount_duration int CHECK (discount_duration >= 1);

    ALTER TABLE accesses DROP CONSTRAINT accesses_source_check;
    ALTER TABLE accesses
      ADD CHECK (source IN ('subscription', 'payment', 'voucher', 'gift', 'grant', 'freemium', 'code', 'external'));

    CREATE TABLE test_clocks (
      merchant_id int PRIMARY KEY REFERENCES accounts (id),
      ahead interval NOT NULL CHECK (ahead >= interval '0'),
      updated_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE FUNCTION merchant_now(merchant int) RETURNS timestamptz LANGUAGE sql STABLE AS
      'SELECT now() + coalesce((SELECT ahead FROM test_clocks WHERE merchant_id = merchant), interval ''0'')';
  `,
};
