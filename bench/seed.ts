import { signAccessToken } from '../src/adapters/jwt';
import { withClient } from './database';

const subscribers = 3_500;

export interface Seeded {
  merchant: { token: string; uuid: string };
  feeId: number;
  /** Tokens of consumers without purchases. Each purchase takes one. */
  subscribers: string[];
}

/** Writes a merchant with one item and consumers by SQL, because each registration would hash a password for 13 ms. */
export function seed(databaseUrl: string, name = 'm', consumerCount = subscribers): Promise<Seeded> {
  return withClient(databaseUrl, async (client) => {
    const ask = async <Row extends object>(sql: string, values: unknown[] = []) =>
      (await client.query<Row>(sql, values)).rows;
    const merchant = await seedMerchant(ask, name);
    const consumers = await seedConsumers(ask, merchant, consumerCount);
    const [item] = await ask<{ id: number }>(
      `INSERT INTO items (merchant_id, title, item_type, content) VALUES ($1, 'Item', 'html_asset', '<p>Content.</p>')
       RETURNING id`,
      [merchant.id],
    );
    return {
      merchant: { token: tokenOf(merchant, merchant), uuid: merchant.uuid },
      feeId: await seedFee(ask, merchant.id, item?.id ?? 0),
      subscribers: consumers.map((consumer) => tokenOf(consumer, merchant)),
    };
  });
}

type Ask = <Row extends object>(sql: string, values?: unknown[]) => Promise<Row[]>;

interface Account {
  id: number;
  uuid: string;
  role: string;
  session: string;
}

async function seedMerchant(ask: Ask, name: string): Promise<Account> {
  const [merchant] = await ask<Account>(
    `WITH merchant AS (
       INSERT INTO accounts (id, uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
       SELECT n, u, n, u, 'merchant', $1 || '@bench.test', $1 || '@bench.test', 'Bench', ''
       FROM gen_random_uuid() AS u, nextval(pg_get_serial_sequence('accounts', 'id')) AS n
       RETURNING id, uuid, role
     ), channel AS (INSERT INTO channels (merchant_id) SELECT id FROM merchant)
     INSERT INTO sessions (id, merchant_id, account_id, client_id, expires_at)
     SELECT gen_random_uuid(), id, id, 'bench', now() + interval '1 day' FROM merchant
     RETURNING account_id AS id, id AS session, (SELECT uuid FROM merchant), (SELECT role FROM merchant)`,
    [name],
  );
  if (!merchant) throw new Error('no merchant was seeded');
  return merchant;
}

function seedConsumers(ask: Ask, merchant: Account, count: number): Promise<Account[]> {
  return ask<Account>(
    `WITH consumers AS (
       INSERT INTO accounts (uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
       SELECT gen_random_uuid(), $1, $2, 'consumer', n || '@bench.test', n || '@bench.test', 'Bench', ''
       FROM generate_series(1, $3::int) AS n RETURNING id, uuid, role
     ), sessions AS (
       INSERT INTO sessions (id, merchant_id, account_id, client_id, expires_at)
       SELECT gen_random_uuid(), $1, id, 'bench', now() + interval '1 day' FROM consumers RETURNING id, account_id
     )
     SELECT c.*, s.id AS session FROM consumers c JOIN sessions s ON s.account_id = c.id`,
    [merchant.id, merchant.uuid, count],
  );
}

async function seedFee(ask: Ask, merchantId: number, itemId: number): Promise<number> {
  const [fee] = await ask<{ id: number }>(
    `WITH monthly AS (
       INSERT INTO access_types (merchant_id, name, quantity, period) VALUES ($1, 'subscription', 1, 'month') RETURNING id
     )
     INSERT INTO access_fees (merchant_id, item_id, access_type_id, amount_minor, currency, description)
     SELECT $1, $2, id, 999, 'EUR', 'Monthly' FROM monthly RETURNING id`,
    [merchantId, itemId],
  );
  return fee?.id ?? 0;
}

function tokenOf(account: Account, merchant: Account): string {
  const exp = Math.floor(Date.now() / 1000) + 86_400;
  const names = { sub: account.uuid, mid: merchant.uuid, sid: account.session, cid: merchant.uuid };
  return signAccessToken({ ...names, role: account.role, scope: '', exp });
}
