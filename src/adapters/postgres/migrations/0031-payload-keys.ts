import { type Migration } from './migration';

/** One key an account, under which everything is sealed that its workflows leave in Temporal. An erased account has none. */
export const payloadKeys: Migration = {
  name: '0031-payload-keys',
  up: `
    CREATE TABLE payload_keys (
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      merchant_id int NOT NULL,
      account_id int NOT NULL UNIQUE,
      wrapped_key bytea NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      FOREIGN KEY (merchant_id, account_id) REFERENCES accounts (merchant_id, id)
    );
    CREATE TRIGGER payload_keys_not_erased BEFORE INSERT ON payload_keys FOR EACH ROW
      EXECUTE FUNCTION refuse_erased_account();
  `,
};
