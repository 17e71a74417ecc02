import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import type pino from 'pino';
import { liveWithCanaries } from '../../support/canaries';
import { call } from '../../support/client';
import { databaseLogUntilNow, testOwnServer } from '../../support/databaseLog';
import { createMerchant, registration, type Shop } from '../../support/factories';
import { type MailServer, startMailServer } from '../../support/mailServer';
import { addresses, conditionOf, isClassified, personal } from '../../support/personalColumns';
import { isErased, isForgotten, requestErasure } from '../../support/privacy';
import { readable } from '../../support/readable';
import { startApp, type TestApp } from '../../support/startApp';
import { tablesHolding } from '../../support/stored';
import { connectTemporal, type TemporalClient } from '../../support/temporalClient';
import { until } from '../../support/until';

/** Writes a canary into every personal field, erases the account, and searches everything that is stored. */

const written: string[] = [];

/** The logger of the product with its own settings. Only its output goes to the test. */
jest.doMock('pino', () => {
  const real = jest.requireActual<typeof pino>('pino');
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      written.push(chunk.toString());
      done();
    },
  });
  return { __esModule: true, default: (options: pino.LoggerOptions) => real(options, stream) };
});

let app: TestApp;
let mailServer: MailServer;
let temporal: TemporalClient;

beforeAll(async () => {
  mailServer = await startMailServer();
  app = await startApp({ SMTP_URL: mailServer.url, LOG_LEVEL: 'trace' });
  temporal = await connectTemporal();
  await app.startWorker();
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
  await mailServer.stop();
});

test('every column that could hold a word about a person is said to hold one, or none', async () => {
  const { rows } = await app.pool.query<{ table: string; column: string }>(
    `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
       JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
       AND data_type IN ('text', 'character', 'character varying', 'json', 'jsonb', 'ARRAY', 'USER-DEFINED', 'inet', 'date', 'bytea')`,
  );
  expect(rows.length).toBeGreaterThan(100);
  const unknown = rows.filter(({ table, column }) => !isClassified(table, column));
  expect(
    unknown.map(({ table, column }) => `${table}.${column}: say in test/support/personalColumns what it holds`),
  ).toEqual([]);
});

test('every table with rows of an account refuses those of an erased one', async () => {
  const { rows } = await app.pool.query<{ name: string }>(
    `SELECT c.table_name AS name FROM information_schema.columns c
       JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND c.column_name = 'account_id' AND t.table_type = 'BASE TABLE'
       AND NOT EXISTS (SELECT FROM pg_trigger g JOIN pg_proc p ON p.oid = g.tgfoid
         WHERE g.tgrelid = c.table_name::regclass AND p.proname = 'refuse_erased_account')`,
  );
  // Events, runs and refunds of the account continue after its erasure.
  const exempt = ['account_operations', 'events', 'refunds'];
  expect(rows.map(({ name }) => name).filter((name) => !exempt.includes(name))).toEqual([]);
});

const canary = `canary${randomUUID().replaceAll('-', '')}`;

const former = `${canary}-former@example.org`;

/** Rows that no request of this test creates, as other parts of the product would write them. */
async function leaveBehind({ consumer, merchant, item, fee }: Shop): Promise<void> {
  const rows: [string, unknown[]][] = [
    [
      `INSERT INTO social_identities (merchant_id, account_id, provider, subject, is_proven)
       VALUES ($1, $2, 'google', 'me', true)`,
      [],
    ],
    [`INSERT INTO saved_filters (merchant_id, account_id, list, name, query) VALUES ($1, $2, 'items', 'x', '{}')`, []],
    // A search for the person that the merchant has saved.
    [
      `INSERT INTO saved_filters (merchant_id, account_id, list, name, query)
       SELECT merchant_id, merchant_id, 'customers', 'One', jsonb_build_object('search', email)
       FROM accounts WHERE merchant_id = $1 AND id = $2`,
      [],
    ],
    ['INSERT INTO company_identities (merchant_id, issuer, subject, account_id) VALUES ($1, $3, $3, $2)', ['me']],
    [
      `INSERT INTO passkeys (merchant_id, account_id, credential_id, public_key, sign_count, is_synced_kind, is_backed_up, name)
       VALUES ($1, $2, '\\x01', '\\x01', 0, true, true, 'x')`,
      [],
    ],
    // An account with a passkey has to confirm its erasure.
    ['UPDATE sessions SET factor_proven_at = now() WHERE merchant_id = $1 AND account_id = $2', []],
    [
      `INSERT INTO mail_requests (merchant_id, email_normalized, purpose, available_at)
      SELECT $1, email_normalized, 'activation', now() + interval '1 hour' FROM accounts WHERE id = $2`,
      [],
    ],
    [
      `INSERT INTO mailed_tokens (merchant_id, account_id, purpose, token_hash, expires_at)
      VALUES ($1, $2, 'password_reset', '\\x01', now() + interval '1 hour')`,
      [],
    ],
    // A cancellation with the reason of the customer.
    [
      `INSERT INTO subscription_events (merchant_id, subscription_id, sequence, from_state, to_state, reason, actor)
       SELECT merchant_id, id, 99, 'active', 'canceled', 'x', 'x' FROM subscriptions WHERE merchant_id = $1 AND account_id = $2`,
      [],
    ],
    // Data that is stored under a former address.
    [
      `INSERT INTO email_changes (merchant_id, account_id, email, former_email, former_email_normalized, session_id, confirm_hash,
        expires_at, confirmed_at, undo_until)
      VALUES ($1, $2, $3, $3, $3, gen_random_uuid(), '\\x01', now(), now(), now())`,
      [former],
    ],
    [
      `INSERT INTO data_captures (merchant_id, email, email_normalized, full_name, company)
       SELECT merchant_id, $3, $3, 'x', 'x' FROM accounts WHERE merchant_id = $1 AND id = $2`,
      [former],
    ],
    [
      `INSERT INTO mail_requests (merchant_id, email_normalized, purpose, available_at)
      SELECT merchant_id, $3, 'activation', now() + interval '1 hour' FROM accounts WHERE merchant_id = $1 AND id = $2`,
      [former],
    ],
    [`INSERT INTO billing_details (merchant_id, account_id, country) VALUES ($1, $2, 'DE')`, []],
    [
      `WITH voucher AS (
        INSERT INTO vouchers (merchant_id, name, code, canonical_code, code_length, discount, discount_period, starts_at,
          is_gift) VALUES ($1, 'Gift', '', 'x', 8, 100, 'once', now(), true) RETURNING id)
      INSERT INTO gift_vouchers (merchant_id, voucher_id, sealed_code, receiver_email, receiver_email_normalized,
        buyer_account_id, item_id, access_fee_id, amount_minor, currency, payment_token, state)
      SELECT $1, id, '\\x01', 'x', 'x', $2, $3, $4, 999, 'EUR', 'C-1', 'redeemed' FROM voucher`,
      [item.id, fee.id],
    ],
    [
      `INSERT INTO payments (token, merchant_id, account_id, item_id, access_fee_id, state, access_type, period_quantity,
        period, price_minor, charged_minor, currency, is_gift, receiver_email, environment)
      VALUES ('C-1', $1, $2, $3, $4, 'paid', 'ppv', 1, 'day', 0, 0, 'EUR', true, 'x', 'test')`,
      [item.id, fee.id],
    ],
    [
      `INSERT INTO store_purchases (token, merchant_id, account_id, item_id, access_fee_id, store, environment,
        original_id, transaction_id, product_id, kind, state, is_trial, auto_renew, purchased_at, as_of)
      VALUES ('S-1', $1, $2, $3, $4, 'amazon', 'production', 'r', 'r', 'p', 'subscription', 'expired', false, false,
        now(), now())`,
      [item.id, fee.id],
    ],
  ];
  for (const [text, values] of rows) await app.pool.query(text, [merchant.id, consumer.id, ...values]);
}

/** Overwrites every personal column of every row of the account: each must have one. */
async function plant(accountId: number): Promise<string[]> {
  const without: string[] = [];
  for (const [table, columns] of Object.entries(personal))
    for (const [column, kind] of Object.entries(columns)) {
      if (kind === 'date') continue;
      const value = kind === 'json' ? `jsonb_build_object('${canary}', '${canary}')` : `'${canary}'`;
      const one = `ctid IN (SELECT ctid FROM ${table} WHERE ${conditionOf(table)} LIMIT 1)`;
      const { rowCount } = await app.pool.query(`UPDATE ${table} SET ${column} = ${value} WHERE ${one}`, [accountId]);
      if (rowCount !== 1) without.push(`${table}.${column}`);
    }
  for (const [table, columns] of Object.entries(addresses))
    for (const column of columns) {
      const text = `SELECT 1 FROM ${table} WHERE ${column} LIKE '${canary}%'`;
      if ((await app.pool.query(text)).rows.length === 0) without.push(`${table}.${column}`);
    }
  return without;
}

async function historiesOf(ids: string[]): Promise<string> {
  return (await Promise.all(ids.map((id) => temporal.historyOf(id)))).map(readable).join('\n');
}

async function operationIds(accountId: number, kind: 'export' | 'erasure'): Promise<string[]> {
  const { rows } = await app.pool.query<{ id: string }>(
    `SELECT concat_ws('-', 'account', kind, token) AS id FROM account_operations WHERE account_id = $1 AND kind = $2`,
    [accountId, kind],
  );
  expect(rows).toHaveLength(1);
  return rows.map(({ id }) => id);
}

test('202: afterwards no canary is in the database, in a history, or in a log', async () => {
  const { shop, id } = await liveWithCanaries(app, mailServer, canary);
  const { consumer } = shop;
  await leaveBehind(shop);
  expect(await plant(consumer.id)).toEqual([]);
  expect((await tablesHolding(app.pool, canary)).length).toBeGreaterThan(12);
  // Read while the key exists: the payloads contain no personal data in the first place.
  const before = await historiesOf([`subscription-${id}`, ...(await operationIds(consumer.id, 'export'))]);
  expect(before).toContain('"subscriptionId"');

  expect((await requestErasure(app, consumer)).status).toBe(202);
  await isErased(app, consumer.id);
  await isForgotten(app, consumer.id);
  await until(() => mailServer.received.some(({ subject }) => subject?.endsWith('was deleted')));
  const lastMail = () => app.pool.query('SELECT 1 FROM mails WHERE recipient = $1', [consumer.email]);
  await until(async () => (await lastMail()).rows.length === 0);
  expect(await tablesHolding(app.pool, canary)).toEqual([]);

  const erasure = await historiesOf(await operationIds(consumer.id, 'erasure'));
  expect(erasure).toContain('"operationId"');
  const ofAccount = [`subscription-${id}`, ...(await operationIds(consumer.id, 'export'))];
  const told = await historiesOf(ofAccount);
  expect(told).toContain('[erased]');
  expect(told).not.toContain('"subscriptionId"');
  for (const text of [erasure, told, before]) {
    expect(text).not.toContain(canary);
    expect(text).not.toContain(consumer.uuid);
  }
  const all = await temporal.workflowIds();
  expect(all).toEqual(expect.arrayContaining(ofAccount));
  expect(await historiesOf(all)).not.toContain(canary);
  expect(written.length).toBeGreaterThan(10);
  expect(written.filter((line) => line.includes(canary))).toEqual([]);
});

testOwnServer(
  '409 account_exists: an address that is taken leaves no canary in the log of PostgreSQL either',
  async () => {
    const merchant = await createMerchant(app);
    const fields = { ...registration('consumer', merchant.uuid), username: `${canary}@example.org`, full_name: canary };
    const replies = await Promise.all([1, 2, 3].map(() => call(app, 'POST', '/accounts', fields)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const lines = (await databaseLogUntilNow(app.pool)).split('\n');
    expect(lines.filter((line) => line.includes(canary))).toEqual([]);
  },
);

test('202: what stays for the books is amount, date and currency, beside ids', async () => {
  const { rows } = await app.pool.query<Record<string, unknown>>(
    `SELECT a.date_of_birth, c.amount_minor::int AS amount, c.currency, c.settled_at IS NOT NULL AS dated FROM charges c
       JOIN subscriptions s ON s.id = c.subscription_id JOIN accounts a ON a.id = s.account_id WHERE a.erased_at IS NOT NULL`,
  );
  expect(rows).toEqual([{ date_of_birth: null, amount: 999, currency: 'EUR', dated: true }]);
});
