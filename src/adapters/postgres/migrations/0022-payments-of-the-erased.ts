import { type Migration } from './migration';

/** Payments know the rules that came beside them: no row of an erased account, and which fees are sold. */
export const paymentsOfTheErased: Migration = {
  name: '0022-payments-of-the-erased',
  up: `
    DO $do$
    DECLARE
      owned text;
    BEGIN
      FOREACH owned IN ARRAY ARRAY['payments', 'charges', 'refunds', 'default_cards', 'customer_balances']
      LOOP
        EXECUTE format('CREATE TRIGGER %I BEFORE INSERT ON %I FOR EACH ROW WHEN (NEW.account_id IS NOT NULL)
          EXECUTE FUNCTION refuse_erased_account()', owned || '_not_erased', owned);
      END LOOP;
    END $do$;
    CREATE INDEX payments_fee ON payments (access_fee_id);
    -- When a charge may have been sent first, by real time; created_at is the merchant's.
    ALTER TABLE charges ADD COLUMN opened_at timestamptz NOT NULL DEFAULT now();
  `,
};
