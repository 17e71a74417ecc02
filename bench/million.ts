import { type Client } from 'pg';
import { migrate } from '../src/adapters/postgres/migrate';
import { createDatabase, dropDatabase, withClient, withDatabase } from './database';
import { timed } from './timed';

/** The number of rows of each kind, all of one merchant: the worst case for its lists. */
const millionCounts = {
  accounts: 100_000,
  items: 10_000,
  packages: 500,
  package_items: 20_000,
  access_fees: 10_000,
  subscriptions: 100_000,
  accesses: 1_000_000,
  vouchers: 50_000,
  voucher_rules: 25_000,
} as const;

export const millionEmail = 'million@bench.test';
const database = 'paywall_million';
/** If it takes longer, the machine is too small or something is wrong. */
const withinMs = 10 * 60_000;

export interface Filled {
  url: string;
  /** Undefined if the database was filled before. */
  tookMs: number | undefined;
}

/**
 * A separate database on the product's server, with a million entitlements. A filled one is kept. An incomplete one, or
 * one of another version of the schema, is created again.
 */
export async function fillMillion(serverUrl: string): Promise<Filled> {
  const url = withDatabase(serverUrl, database);
  if (await isFilled(url)) return { url, tookMs: undefined };
  const tookMs = await timed(async () => withClient(await createDatabase(serverUrl, database), fill));
  return { url, tookMs };
}

/** All rows are written in one transaction, so the first row proves that the others exist. */
async function isFilled(url: string): Promise<boolean> {
  try {
    await migrate(url);
    const text = 'SELECT FROM accounts WHERE email_normalized = $1';
    return await withClient(url, async (client) => (await client.query(text, [millionEmail])).rowCount === 1);
  } catch {
    return false;
  }
}

/** A copy to which a run may write. */
export async function copyMillion(serverUrl: string, name: string): Promise<string> {
  await dropDatabase(serverUrl, name);
  await withClient(serverUrl, (client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE ${database} STRATEGY file_copy`),
  );
  return withDatabase(serverUrl, name);
}

/** The number of rows, by table. */
export function countMillion(url: string): Promise<Record<string, number>> {
  return withClient(url, async (client) => {
    const counts = Object.keys(millionCounts).map((name) =>
      name === 'packages'
        ? `(SELECT count(*)::int FROM items WHERE item_type = 'package') AS packages`
        : `(SELECT count(*)::int FROM ${name}) AS ${name}`,
    );
    const text = `SELECT ${counts.join(', ')}, (pg_database_size(current_database()) / 1e6)::int AS megabytes`;
    return (await client.query<Record<string, number>>(text)).rows[0] ?? {};
  });
}

async function fill(client: Client): Promise<void> {
  await client.query(`SET statement_timeout = ${withinMs}`);
  await client.query('SET synchronous_commit = off');
  // The references are correct by construction. To check three million of them would take most of the time.
  await client.query('SET session_replication_role = replica');
  await client.query(`SET maintenance_work_mem = '256MB'`);
  await client.query('BEGIN');
  for (const text of steps) await client.query(text);
  await client.query('COMMIT');
  await client.query('VACUUM ANALYZE');
}

// Rows are numbered by their position in the seed. Ids equal these numbers because the database is new: the merchant is
// account 1, and consumer n is account n + 1.
const { accounts, items, packages, package_items, subscriptions, accesses, vouchers, voucher_rules } = millionCounts;
const consumer = (n: string) => `(1 + 1 + (${n}) % ${accounts - 1})`;
const item = (n: string) => `(1 + (${n}) % ${items})`;

/** Monthly and daily fees, trials, overlapping packages, and entitlements of every source, some ended or revoked. */
const steps = [
  `INSERT INTO accounts (id, uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
   SELECT 1, u, 1, u, 'merchant', '${millionEmail}', '${millionEmail}', 'Million', '' FROM gen_random_uuid() AS u`,
  `SELECT setval(pg_get_serial_sequence('accounts', 'id'), 1)`,
  `INSERT INTO oauth_apps (merchant_id, client_id, name, is_default, grant_types)
   SELECT id, uuid, 'Default', true, '{password,refresh_token}' FROM accounts`,
  `INSERT INTO channels (merchant_id) VALUES (1)`,
  `INSERT INTO brands (merchant_id, is_default) VALUES (1, true)`,
  `INSERT INTO restriction_settings (merchant_id, age_verification_enabled) VALUES (1, true)`,
  `INSERT INTO accounts (uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash,
     date_of_birth, activated_at, created_at)
   SELECT gen_random_uuid(), 1, m.uuid, 'consumer', n || '@million.test', n || '@million.test',
     'Consumer ' || md5(n::text), '', date '1950-01-01' + n % 15000, now(), now() - n * interval '1 minute'
   FROM accounts m, generate_series(1, ${accounts - 1}) AS n WHERE m.id = 1`,
  `INSERT INTO items (merchant_id, title, item_type, content, external_id, created_at, updated_at)
   SELECT 1, CASE WHEN n <= ${packages} THEN 'Package ' ELSE 'Item ' END || md5(n::text),
     CASE WHEN n <= ${packages} THEN 'package' WHEN n % 3 = 0 THEN 'html_asset' ELSE 'video_asset' END,
     repeat('<p>Content.</p>', 20), CASE WHEN n % 2 = 0 THEN 'external-' || n END,
     now() - n * interval '1 hour', now() - n * interval '1 hour'
   FROM generate_series(1, ${items}) AS n`,
  `INSERT INTO item_metadata (merchant_id, item_id, name, value)
   SELECT 1, id, 'preview_title', 'Preview of ' || title FROM items`,
  `INSERT INTO package_items (merchant_id, package_id, item_id)
   SELECT 1, 1 + (n + n / ${items - packages} * 137) % ${packages}, ${packages + 1} + n % ${items - packages}
   FROM generate_series(0, ${package_items - 1}) AS n`,
  `INSERT INTO access_types (merchant_id, name, quantity, period)
   VALUES (1, 'subscription', 1, 'month'), (1, 'ppv', 2, 'day'), (1, 'freemium', 1, 'year')`,
  `INSERT INTO access_fees (merchant_id, item_id, access_type_id, amount_minor, currency, description, trial_quantity,
     trial_period)
   SELECT 1, i.id, t.id, 99 + i.id, 'EUR', 'Price of ' || i.title, CASE WHEN i.id % 5 = 0 THEN 7 END,
     CASE WHEN i.id % 5 = 0 THEN 'day' END
   FROM items i JOIN access_types t ON t.name = CASE WHEN i.id % 4 = 0 THEN 'ppv' ELSE 'subscription' END`,
  `INSERT INTO cards (merchant_id, account_id, provider, token, last_four, brand, holder_name, expiry_month, expiry_year,
     fingerprint)
   SELECT 1, ${consumer('n')}, 'sandbox', 'tok-' || n, '4242', 'Visa', 'B', 1 + n % 12, 2040, md5(n::text)
   FROM generate_series(1, ${subscriptions}) AS n`,
  `INSERT INTO subscriptions (token, merchant_id, account_id, item_id, access_fee_id, card_id, state, price_minor, currency,
     period_quantity, period, environment, anchor_at, current_period_start, current_period_end, cycle, created_at)
   SELECT 'S-million-' || n, 1, ${consumer('n')}, f.item_id, f.id, n,
     (ARRAY['active', 'active', 'active', 'canceled', 'expired', 'past_due'])[1 + n % 6], f.amount_minor, 'EUR', 1, 'month',
     'test', now() - interval '5 days', now() - interval '5 days', now() + interval '25 days', 1,
     now() - n * interval '1 minute'
   FROM generate_series(1, ${subscriptions}) AS n JOIN access_fees f ON f.id = ${item('n * 7')}`,
  `INSERT INTO accesses (merchant_id, account_id, item_id, access_fee_id, source, source_id, environment, starts_at,
     expires_at, revoked_at, created_at)
   SELECT 1, CASE WHEN n <= ${subscriptions} THEN s.account_id ELSE ${consumer('n')} END,
     CASE WHEN n <= ${subscriptions} THEN s.item_id ELSE ${item(`n * 13 + n / ${accounts} * 997`)} END,
     CASE WHEN n <= ${subscriptions} THEN s.access_fee_id ELSE ${item(`n * 13 + n / ${accounts} * 997`)} END,
     CASE WHEN n <= ${subscriptions} THEN 'subscription'
       ELSE (ARRAY['payment', 'payment', 'voucher', 'gift', 'grant', 'code', 'external'])[1 + n % 7] END,
     n, 'test', now() - interval '10 days',
     now() + CASE WHEN n % 10 = 3 THEN interval '-1 day' ELSE interval '300 days' END + n % 1000 * interval '1 minute',
     CASE WHEN n % 50 = 7 THEN now() END, now() - n * interval '1 second'
   FROM generate_series(1, ${accesses}) AS n LEFT JOIN subscriptions s ON s.id = n`,
  `SELECT setval('access_source_ids', ${accesses})`,
  `INSERT INTO vouchers (merchant_id, name, code, canonical_code, code_length, discount, discount_period,
     discount_duration, usage_limit, usage_counter, starts_at, ends_at, created_at)
   SELECT 1, 'Voucher ' || md5(n::text), 'CODE-' || n, 'code-' || n, 8, 1 + n % 100,
     (ARRAY['once', 'repeating', 'forever'])[1 + n % 3], CASE WHEN n % 3 = 1 THEN 3 END,
     CASE WHEN n % 2 = 0 THEN 100 END, n % 100, now() - interval '30 days',
     CASE WHEN n % 4 = 0 THEN now() + interval '1 year' END, now() - n * interval '1 minute'
   FROM generate_series(1, ${vouchers}) AS n`,
  `INSERT INTO voucher_rules (merchant_id, voucher_id, rule_type, item_id)
   SELECT 1, n, 'assets', ${packages + 1} + n % ${items - packages} FROM generate_series(1, ${voucher_rules}) AS n`,
  // Rules that every check evaluates and that an adult visitor from an unknown country passes.
  `INSERT INTO age_restrictions (merchant_id, item_id, min_age)
   SELECT 1, n, 18 FROM generate_series(10, ${items}, 20) AS n UNION ALL SELECT 1, NULL, 12`,
  `INSERT INTO domain_restrictions (merchant_id, item_id, type, domain)
   SELECT 1, NULL, 'blacklist', 'blocked-' || n || '.example' FROM generate_series(1, 50) AS n
   UNION ALL SELECT 1, n, 'blacklist', 'blocked.example' FROM generate_series(15, ${items}, 40) AS n`,
  `INSERT INTO country_sets (merchant_id, name, type, is_global)
   SELECT 1, 'Set ' || n, 'blacklist', n = 1 FROM generate_series(1, 5) AS n`,
  `INSERT INTO country_set_countries (merchant_id, country_set_id, country)
   SELECT 1, s.id, c FROM country_sets s, unnest('{FR,DE,IT,ES,US,BR}'::text[]) AS c`,
  `INSERT INTO item_country_sets (merchant_id, item_id, country_set_id)
   SELECT 1, n, 2 + n % 4 FROM generate_series(30, ${items}, 30) AS n`,
];
