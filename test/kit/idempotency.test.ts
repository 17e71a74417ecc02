import { randomUUID } from 'node:crypto';
import { call } from '../support/client';
import { createMerchant, createShop, purchase, registration, type Person, type Submitted } from '../support/factories';
import { type ErrorBody } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';
import { tablesHolding } from '../support/stored';
import { until } from '../support/until';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

interface Tokens {
  access_token: string;
  refresh_token: string;
}

function register(fields: object, key: string) {
  return call<Tokens & ErrorBody>(app, 'POST', '/accounts', { ...fields }, { headers: { 'Idempotency-Key': key } });
}

function createItem(person: Person, key: string, title = 'Cup final') {
  const options = { token: person.token, headers: { 'Idempotency-Key': key } };
  return call<{ id: number } & ErrorBody>(app, 'POST', '/v2/items', { item_type: 'html_asset', title }, options);
}

const itemsOf = async (person: Person) =>
  (await app.pool.query('SELECT 1 FROM items WHERE merchant_id = $1', [person.id])).rows.length;

test('201: the first answer is repeated, and says so', async () => {
  const owner = await createMerchant(app);
  const key = randomUUID();
  const [first, again] = [await createItem(owner, key), await createItem(owner, key)];
  expect(first.headers.get('idempotency-replayed')).toBeNull();
  expect(again).toMatchObject({ status: 201, body: first.body });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await itemsOf(owner)).toBe(1);
});

test('202: a purchase sent twice is one subscription, Location included', async () => {
  const shop = await createShop(app);
  const options = { token: shop.consumer.token, headers: { 'Idempotency-Key': randomUUID() } };
  const buy = () => call<Submitted>(app, 'POST', '/subscriptions', purchase(shop), options);
  const [first, again] = [await buy(), await buy()];
  expect(again).toMatchObject({ status: 202, body: first.body });
  expect(again.headers.get('location')).toBe(first.headers.get('location'));
});

test('200: a registration sent twice by nobody in particular is one account with the same tokens', async () => {
  const [fields, key] = [registration('consumer', merchant.uuid), randomUUID()];
  const [first, again] = [await register(fields, key), await register(fields, key)];
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.body).toEqual(first.body);
});

test('the stored answer is unreadable: no token of it is in any table', async () => {
  const { body } = await register(registration('consumer', merchant.uuid), randomUUID());
  expect(await tablesHolding(app.pool, body.access_token)).toEqual([]);
  expect(await tablesHolding(app.pool, body.refresh_token)).toEqual([]);
  const hex = (text: string) => Buffer.from(text).toString('hex');
  expect(await tablesHolding(app.pool, hex(body.access_token.slice(0, 40)))).toEqual([]);
  expect(await tablesHolding(app.pool, hex('access_token'))).toEqual([]);
  expect(await tablesHolding(app.pool, merchant.email)).toEqual(['accounts', 'mails']);
});

test('422 idempotency_key_reused: the same key with another body', async () => {
  const owner = await createMerchant(app);
  const key = randomUUID();
  await createItem(owner, key);
  expect(await createItem(owner, key, 'Another')).toMatchObject({
    status: 422,
    body: { code: 422, error: 'idempotency_key_reused' },
  });
  expect(await itemsOf(owner)).toBe(1);
});

test('422 idempotency_key_reused: the same key and body on another path', async () => {
  const [fields, key] = [registration('consumer', merchant.uuid), randomUUID()];
  await register(fields, key);
  const other = await call(app, 'POST', '/v2/accounts', fields, { headers: { 'Idempotency-Key': key } });
  expect(other.status).toBe(422);
});

test('201: one key of two callers is two requests', async () => {
  const key = randomUUID();
  const [one, other] = [await createMerchant(app), await createMerchant(app)];
  const [first, second] = [await createItem(one, key), await createItem(other, key)];
  expect(second.headers.get('idempotency-replayed')).toBeNull();
  expect(second.body.id).not.toBe(first.body.id);
});

test('409 request_in_progress: the same key while the first request still runs', async () => {
  const [fields, key] = [registration('consumer', merchant.uuid), randomUUID()];
  const client = await app.pool.connect();
  try {
    // A row that is not committed holds the first request at the unique e-mail.
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO accounts (uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
       VALUES (gen_random_uuid(), $1, $2, 'consumer', $3, $3, 'x', 'x')`,
      [merchant.id, merchant.uuid, fields.username],
    );
    const first = register(fields, key);
    await until(async () => {
      const { rows } = await app.pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'transactionid'`,
      );
      return rows.length > 0;
    });
    const second = await register(fields, key);
    expect(second).toMatchObject({ status: 409, body: { code: 409, error: 'request_in_progress' } });
    expect(second.headers.get('retry-after')).toBe('1');
    await client.query('ROLLBACK');
    expect((await first).status).toBe(200);
    expect((await register(fields, key)).body).toEqual((await first).body);
  } finally {
    client.release();
  }
});

test('200: of ten at once with one key one runs, and no other answers otherwise', async () => {
  const [fields, key] = [registration('consumer', merchant.uuid), randomUUID()];
  const answers = await Promise.all(Array.from({ length: 10 }, () => register(fields, key)));
  const succeeded = answers.filter(({ status }) => status === 200);
  expect(new Set(succeeded.map(({ body }) => body.access_token)).size).toBe(1);
  expect(answers.filter(({ status }) => status !== 200).map(({ body }) => body.error)).toEqual(
    Array(10 - succeeded.length).fill('request_in_progress'),
  );
});

test('409 account_exists: what the client did wrong is an answer too, and is repeated', async () => {
  const [fields, key] = [registration('consumer', merchant.uuid), randomUUID()];
  await register(fields, randomUUID());
  const [first, again] = [await register(fields, key), await register(fields, key)];
  expect(first.body.error).toBe('account_exists');
  expect(again).toMatchObject({ status: 409, body: first.body });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(again.headers.get('content-type')).toBe('application/json; charset=utf-8');
});

test('500 internal_error: a failure of ours is no answer: the same key may try again', async () => {
  const owner = await createMerchant(app);
  const key = randomUUID();
  await app.pool.query('ALTER TABLE items RENAME TO items_away');
  expect((await createItem(owner, key)).status).toBe(500);
  await app.pool.query('ALTER TABLE items_away RENAME TO items');
  const again = await createItem(owner, key);
  expect(again.status).toBe(201);
  expect(again.headers.get('idempotency-replayed')).toBeNull();
});

test('401 invalid_auth_token: a key opens nothing to who has no token', async () => {
  const key = randomUUID();
  await createItem(merchant, key);
  expect((await createItem({ ...merchant, token: 'none' }, key)).status).toBe(401);
});

test('422 invalid_input: a key of 256 characters, where 255 pass', async () => {
  expect((await createItem(merchant, randomUUID().padEnd(255, 'k'))).status).toBe(201);
  expect(await createItem(merchant, 'k'.repeat(256))).toMatchObject({
    status: 422,
    body: { errors: { 'Idempotency-Key': 'The Idempotency-Key must be at most 255 characters.' } },
  });
});

test('201: a key whose day is over is free again', async () => {
  const owner = await createMerchant(app);
  const key = randomUUID();
  const first = await createItem(owner, key);
  await app.pool.query(`UPDATE idempotency_keys SET created_at = now() - interval '24 hours 1 second' WHERE key = $1`, [
    key,
  ]);
  const later = await createItem(owner, key, 'Another');
  expect(later.status).toBe(201);
  expect(later.body.id).not.toBe(first.body.id);
  expect((await createItem(owner, key, 'Another')).body).toEqual(later.body);
});

test('201: a key is kept for a day, even if the process that wrote it has died', async () => {
  const owner = await createMerchant(app);
  const key = randomUUID();
  const first = await createItem(owner, key);
  for (const ago of ['5 seconds', '3 minutes', '23 hours 59 minutes']) {
    await app.pool.query('UPDATE idempotency_keys SET created_at = now() - $2::interval WHERE key = $1', [key, ago]);
    expect(await createItem(owner, key)).toMatchObject({ status: 201, body: first.body });
  }
  expect(await itemsOf(owner)).toBe(1);
});

test('500 internal_error: an answer that cannot be stored leaves no effect, and the same key then works once', async () => {
  const owner = await createMerchant(app);
  const key = randomUUID();
  await app.pool.query(`
    CREATE FUNCTION refuse_answer() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no room'; END $$;
    CREATE TRIGGER refuse_answer BEFORE UPDATE ON idempotency_keys FOR EACH ROW
      WHEN (NEW.sealed_answer IS NOT NULL AND NEW.key = '${key}') EXECUTE FUNCTION refuse_answer();
  `);
  expect((await createItem(owner, key)).status).toBe(500);
  expect(await itemsOf(owner)).toBe(0);
  await app.pool.query('DROP FUNCTION refuse_answer CASCADE');
  expect((await createItem(owner, key)).status).toBe(201);
  expect(await itemsOf(owner)).toBe(1);
});
