import { type Socket } from 'node:net';
import { type Client } from 'pg';
import type * as Connection from '../../../src/adapters/postgres/connection';
import type * as RequestWork from '../../../src/adapters/postgres/requestWork';
import type * as Statements from '../../../src/adapters/postgres/statement';
import { call } from '../../support/client';
import { createItem, createMerchant, type Person } from '../../support/factories';
import { enterConsole } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

/** The second fence: policies hide the rows of other merchants from a statement that forgets the merchant. */

let app: TestApp;
let mine: Person;
let theirs: Person;
let connection: typeof Connection;
let work: typeof RequestWork;
let statements: typeof Statements;

beforeAll(async () => {
  app = await startApp({ DATABASE_POOL: '2' });
  connection = await import('../../../src/adapters/postgres/connection.js');
  work = await import('../../../src/adapters/postgres/requestWork.js');
  statements = await import('../../../src/adapters/postgres/statement.js');
  [mine, theirs] = [await createMerchant(app), await createMerchant(app)];
  for (const merchant of [mine, theirs]) await createItem(app, merchant);
});

afterAll(() => app.stop());

const forgetful = 'SELECT DISTINCT merchant_id AS owner FROM items ORDER BY 1';
const ownersIn = (rows: { owner: number }[]) => rows.map(({ owner }) => owner);
const all = () => [mine.id, theirs.id].sort((a, b) => a - b);
const owners = async () => ownersIn(await statements.query<{ owner: number }>(forgetful, []));
const within = <T>(merchant: Person, run: () => T) => work.withinMerchant(merchant.id, run);

test('a statement without a condition reads the rows of its merchant only, and of all merchants without one', async () => {
  expect(await owners()).toEqual(all());
  expect(await within(mine, owners)).toEqual([mine.id]);
  expect(await within(theirs, owners)).toEqual([theirs.id]);
  expect(await owners()).toEqual(all());
});

test('a prepared statement, a model and a transaction are fenced alike', async () => {
  const prepared = statements.statement<{ owner: number }>('fence_test', forgetful);
  const { Item } = await import('../../../src/items/items.model.js');
  const models = async () => new Set((await Item.findAll()).map(({ merchantId }) => merchantId));
  const inTransaction = () =>
    connection.transaction(async (tx) => ownersIn(await statements.execute<{ owner: number }>(tx, forgetful)));
  for (let round = 0; round < 6; round += 1) {
    expect(await within(mine, async () => ownersIn(await prepared([])))).toEqual([mine.id]);
    expect(ownersIn(await prepared([]))).toEqual(all());
    expect(await within(theirs, models)).toEqual(new Set([theirs.id]));
    expect(await models()).toEqual(new Set(all()));
    expect(await within(mine, inTransaction)).toEqual([mine.id]);
    expect(await inTransaction()).toEqual(all());
  }
});

async function titles(): Promise<Map<number, string>> {
  const { rows } = await app.pool.query<{ owner: number; title: string }>(
    'SELECT merchant_id AS owner, title FROM items',
  );
  return new Map(rows.map(({ owner, title }) => [owner, title]));
}

test('a write without a condition changes no row of another merchant, and none can be written for another one', async () => {
  const before = await titles();
  const update = statements.statement<{ owner: number }>(
    'fence_update',
    `UPDATE items SET title = 'Changed' RETURNING merchant_id AS owner`,
  );
  expect(ownersIn(await within(mine, () => update([])))).toEqual([mine.id]);
  expect(await titles()).toEqual(
    new Map([
      [mine.id, 'Changed'],
      [theirs.id, before.get(theirs.id)],
    ]),
  );

  const move = statements.statement('fence_move', `UPDATE items SET merchant_id = ${theirs.id}`);
  await expect(within(mine, () => move([]))).rejects.toThrow('row-level security policy');
  expect((await titles()).size).toBe(2);
});

test('many statements of several merchants at once on two connections: each has the merchant of its caller', async () => {
  const asked = Array.from({ length: 120 }, (_, count) => [mine, theirs, undefined][count % 3]);
  const found = await Promise.all(asked.map((merchant) => (merchant ? within(merchant, owners) : owners())));
  expect(found).toEqual(asked.map((merchant) => (merchant ? [merchant.id] : all())));
});

test('a transaction that fails leaves nothing of its merchant on the connection', async () => {
  const failing = () =>
    connection.transaction(async (tx) => {
      await statements.execute(tx, forgetful);
      await statements.execute(tx, 'SELECT 1 / 0');
    });
  for (const merchant of [mine, theirs]) {
    await expect(within(merchant, failing)).rejects.toThrow('division by zero');
    expect(await connection.transaction(async (tx) => ownersIn(await statements.execute(tx, forgetful)))).toEqual(
      all(),
    );
  }
});

test('a failed transaction is rolled back by work for no merchant', async () => {
  const failed = await within(mine, () => connection.sequelize.transaction());
  await expect(within(mine, () => statements.execute(failed, 'SELECT 1 / 0'))).rejects.toThrow('division by zero');
  const { stream } = (work.connectionOf(failed) as Client).connection;
  await failed.rollback();
  expect((stream as Socket).destroyed).toBe(false);
  expect(await owners()).toEqual(all());
});

test('work for many requests is outside of the fence', async () => {
  expect(await within(mine, () => work.apart(owners))).toEqual(all());
});

test('after its connections broke, a statement has its own merchant on the new ones', async () => {
  await within(mine, owners);
  // Those of the service. The tests are the owner of the tables.
  await app.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND usename <> current_user`,
  );
  const after = await until(() => within(theirs, owners).catch(() => false));
  expect(after).toEqual([theirs.id]);
  expect(await owners()).toEqual(all());
});

/** Records the setting of each statement that reads or writes an audit record. */
async function watchAudit(): Promise<() => Promise<string[]>> {
  await app.pool.query(`
    CREATE TABLE seen_settings (setting text NOT NULL);
    CREATE FUNCTION record_setting() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
      INSERT INTO seen_settings VALUES (coalesce(current_setting('paywall.merchant', true), ''));
      RETURN true;
    END $$;
    CREATE POLICY watched ON audit_log AS RESTRICTIVE USING (record_setting());`);
  return async () => {
    const { rows } = await app.pool.query<{ setting: string }>(
      'WITH seen AS (DELETE FROM seen_settings RETURNING setting) SELECT DISTINCT setting FROM seen',
    );
    return rows.map(({ setting }) => setting);
  };
}

test('requests of the API, pages and streamed files have the merchant of their caller', async () => {
  const seen = await watchAudit();
  const own = [String(mine.id)];
  expect((await call(app, 'GET', '/audit', undefined, mine)).status).toBe(200);
  expect(await seen()).toEqual(own);

  const key = { 'Idempotency-Key': 'fenced' };
  const { status } = await call(app, 'PUT', '/v2/features/flag', { enabled: true }, mine);
  expect(status).toBe(200);
  expect(await seen()).toEqual(own);
  const item = { item_type: 'html_asset', title: 'Cup final', content: '<p>The final.</p>' };
  expect((await call(app, 'POST', '/v2/items', item, { ...mine, headers: key })).status).toBe(201);
  expect(await seen()).toEqual(own);

  const file = await fetch(`${app.address}/reporting/exports/audit`, {
    headers: { Authorization: `Bearer ${mine.token}` },
  });
  expect((await file.text()).split('\r\n').length).toBeGreaterThan(2);
  expect(await seen()).toEqual(own);

  const walker = await enterConsole(app, theirs.email);
  await seen();
  expect((await walker.open('/console/audit')).status).toBe(200);
  expect(await seen()).toEqual([String(theirs.id)]);
});

/** Tables without the column `merchant_id`, and why they need no fence. */
const outside: Record<string, string> = {
  ...named(
    'It has rows of the installation, and none of a merchant.',
    'migrations wrapped_data_keys hourly_counts base_backups restorations rows_behind run_rounds provider_paces euro_rates',
  ),
  ...named(
    'Its rows are found only by a hash of a secret, or by a key that contains the caller.',
    'refresh_tokens social_sign_ins passkey_challenges wrong_guesses idempotency_keys rate_limits',
  ),
  ...named('Its rows belong to two merchants: a master and its follower.', 'follower_relations'),
  ...named(
    'Its rows are read together with the row that they belong to, which has the fence.',
    'mail_attachment_parts provider_customers webhook_outcomes',
  ),
  ...named(
    'Only deliveries, notifications and sweeps read its rows, which are for many merchants.',
    'outbox provider_notifications balance_listings store_consumption_requests store_histories',
  ),
};

function named(reason: string, tables: string): Record<string, string> {
  return Object.fromEntries(tables.split(' ').map((table) => [table, reason]));
}

const tablesQuery = `SELECT c.relname AS name, c.relrowsecurity AND p.polname IS NOT NULL AS fenced
  FROM pg_class c LEFT JOIN pg_policy p ON p.polrelid = c.oid AND p.polname = 'fence'
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY 1`;

test('every table is fenced, or listed with a reason', async () => {
  const { rows } = await app.pool.query<{ name: string; fenced: boolean }>(tablesQuery);
  const open = rows.filter(({ fenced }) => !fenced).map(({ name }) => name);
  expect(open.filter((name) => !name.startsWith('sandbox_') && name !== 'seen_settings')).toEqual(
    Object.keys(outside).sort(),
  );
});

test('each view without a fence has all columns of its table', async () => {
  const columns = (schema: string) => `SELECT table_name, column_name, ordinal_position FROM information_schema.columns
    WHERE table_schema = '${schema}' AND table_name IN (SELECT relname FROM pg_class WHERE relnamespace = 'unfenced'::regnamespace)`;
  const missing = `${columns('public')} EXCEPT ${columns('unfenced')}`;
  expect((await app.pool.query(missing)).rows).toEqual([]);
  expect((await app.pool.query(columns('unfenced'))).rows.length).toBeGreaterThan(50);
});

test('a view that is created again may be read as before, and loses a removed column', async () => {
  await app.pool.query(
    'BEGIN; DROP VIEW unfenced.vouchers; ALTER TABLE vouchers ADD COLUMN note text; SELECT unfence_table($$vouchers$$); COMMIT',
  );
  expect(await within(mine, () => statements.query('SELECT note FROM unfenced.vouchers', []))).toEqual([]);
  await app.pool.query(
    'BEGIN; DROP VIEW unfenced.vouchers; ALTER TABLE vouchers DROP COLUMN note; SELECT unfence_table($$vouchers$$); COMMIT',
  );
  await expect(statements.query('SELECT note FROM unfenced.vouchers', [])).rejects.toThrow(
    'column "note" does not exist',
  );
});
