import { call } from '../../support/client';
import { createConsumer, createItem, createShop, type Person, type Shop } from '../../support/factories';
import { grant } from '../../support/grant';
import { startProxy, type Proxy } from '../../support/proxy';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

/** This replica must see what another replica changes. SQL makes the change here. */

let app: TestApp;
let proxy: Proxy;

beforeAll(async () => {
  proxy = await startProxy(process.env['DATABASE_URL'] ?? '');
  app = await startApp({ DATABASE_URL: proxy.url });
});

afterAll(async () => {
  proxy.restore();
  await app.stop();
  await proxy.stop();
});

interface Access {
  item: {
    title: string;
    content: string;
    metahash: Record<string, string>;
    age_restriction: { min_age: number } | null;
  };
}

const check = ({ item, consumer }: Shop) => call<Access>(app, 'GET', `/items/${item.id}/access`, undefined, consumer);

async function createSoldItem(): Promise<Shop> {
  const shop = await createShop(app);
  await app.pool.query(
    `INSERT INTO item_metadata (merchant_id, item_id, name, value) VALUES ($1, $2, 'preview_title', 'Before')`,
    [shop.merchant.id, shop.item.id],
  );
  await grant(app, shop, { from: '-1 hour', to: '1 hour' });
  expect((await check(shop)).body).toMatchObject({ item: { title: 'Cup final' } });
  return shop;
}

test('200: a changed item is seen as soon as its NOTIFY arrives', async () => {
  const shop = await createSoldItem();
  await app.pool.query(`UPDATE items SET title = 'Replay', content = 'new' WHERE id = $1`, [shop.item.id]);
  await until(async () => (await check(shop)).body.item.title === 'Replay');
  expect((await check(shop)).body.item.content).toBe('new');
});

test('200: changed and deleted metadata as well', async () => {
  const shop = await createSoldItem();
  await app.pool.query(`UPDATE item_metadata SET value = 'After' WHERE item_id = $1`, [shop.item.id]);
  await until(async () => (await check(shop)).body.item.metahash['preview_title'] === 'After');
  await app.pool.query('DELETE FROM item_metadata WHERE item_id = $1', [shop.item.id]);
  await until(async () => Object.keys((await check(shop)).body.item.metahash).length === 0);
});

test('200: a changed minimum age of all items stands on the card as soon as its NOTIFY arrives', async () => {
  const shop = await createSoldItem();
  await app.pool.query(`UPDATE accounts SET date_of_birth = '1990-01-01' WHERE id = $1`, [shop.consumer.id]);
  const shown = async () => (await check(shop)).body.item.age_restriction?.min_age;
  expect(await shown()).toBeUndefined();
  await app.pool.query('INSERT INTO age_restrictions (merchant_id, min_age) VALUES ($1, 12)', [shop.merchant.id]);
  await until(async () => (await shown()) === 12);
  await app.pool.query('UPDATE age_restrictions SET min_age = 16 WHERE merchant_id = $1', [shop.merchant.id]);
  await until(async () => (await shown()) === 16);
  await app.pool.query('DELETE FROM age_restrictions WHERE merchant_id = $1', [shop.merchant.id]);
  await until(async () => (await shown()) === undefined);
});

test('200: a changed date of birth counts as soon as its NOTIFY arrives', async () => {
  const shop = await createSoldItem();
  await app.pool.query('INSERT INTO age_restrictions (merchant_id, min_age) VALUES ($1, 12)', [shop.merchant.id]);
  await until(async () => (await check(shop)).status === 402);
  await app.pool.query(`UPDATE accounts SET date_of_birth = '1990-01-01' WHERE id = $1`, [shop.consumer.id]);
  await until(async () => (await check(shop)).status === 200);
  await app.pool.query('UPDATE accounts SET date_of_birth = NULL WHERE id = $1', [shop.consumer.id]);
  await until(async () => (await check(shop)).status === 402);
});

test('200: a date of birth that the consumer tells this replica counts at once', async () => {
  const shop = await createSoldItem();
  await app.pool.query('INSERT INTO age_restrictions (merchant_id, min_age) VALUES ($1, 12)', [shop.merchant.id]);
  await until(async () => (await check(shop)).status === 402);
  const born = { full_name: 'Ana Petrova', date_of_birth: '1990-01-01' };
  expect((await call(app, 'PUT', '/accounts', born, shop.consumer)).status).toBe(200);
  expect((await check(shop)).status).toBe(200);
});

test('401 invalid_auth_token: a session that was ended elsewhere', async () => {
  const shop = await createSoldItem();
  await app.pool.query('UPDATE sessions SET revoked_at = now() WHERE account_id = $1', [shop.consumer.id]);
  await app.pool.query(`SELECT pg_notify('sessions', id::text) FROM sessions WHERE account_id = $1`, [
    shop.consumer.id,
  ]);
  await until(async () => (await check(shop)).status === 401);
});

test('503 service_unavailable: while the database is away; and then what was missed meanwhile is seen', async () => {
  const shop = await createSoldItem();
  proxy.cut();
  await until(async () => {
    const { status, headers, body } = await check(shop);
    if (status === 503)
      expect([headers.get('retry-after'), body]).toEqual(['2', expect.objectContaining({ code: 503 })]);
    return status === 503;
  });
  const direct = process.env['TEST_DATABASE_ADMIN_URL'] ?? '';
  const attemptsBefore = proxy.attempts();
  await changeBehindTheProxy(direct, shop);
  await until(() => proxy.attempts() > attemptsBefore + 3);
  proxy.restore();
  await until(async () => {
    const { status, body } = await check(shop);
    return status === 200 && body.item.title === 'Missed';
  });
});

test('the connection that listens comes back once, and does not multiply while it waits', async () => {
  proxy.cut();
  const attemptsBefore = proxy.attempts();
  // Enough tries for one that doubles each time to be many.
  await until(() => proxy.attempts() > attemptsBefore + 30);
  proxy.restore();
  const listeners = async () => {
    const { rows } = await app.pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`,
    );
    return rows.length;
  };
  await until(async () => (await listeners().catch(() => 0)) > 0);
  for (let times = 0; times < 50; times += 1) expect(await listeners()).toBe(1);
});

async function changeBehindTheProxy(adminUrl: string, shop: Shop): Promise<void> {
  const { Client } = await import('pg');
  const url = new URL(adminUrl);
  url.pathname = new URL(proxy.url).pathname;
  const client = new Client(url.href);
  await client.connect();
  await client.query(`UPDATE items SET title = 'Missed' WHERE id = $1`, [shop.item.id]);
  await client.end();
}

test.each(['is_active = false', `access_control_type = 'Paid'`])(
  '402 access_not_found: an item that was free is granted to nobody, before its NOTIFY arrives: %s',
  async (change) => {
    const { merchant } = await createShop(app);
    const item = await createItem(app, merchant, { access_control_type_id: 3 });
    const [early, late] = [await createConsumer(app, merchant), await createConsumer(app, merchant)];
    const checkOf = ({ token }: Person) => call(app, 'GET', `/items/${item.id}/access`, undefined, { token });
    expect((await checkOf(early)).status).toBe(200);
    // Without the trigger that notifies the replicas.
    await app.pool.query(
      `BEGIN; SET LOCAL session_replication_role = replica; UPDATE items SET ${change} WHERE id = ${item.id}; COMMIT`,
    );
    expect(await checkOf(late)).toMatchObject({ status: 402, body: { error: 'access_not_found' } });
    const { rows } = await app.pool.query('SELECT account_id FROM accesses WHERE item_id = $1', [item.id]);
    expect(rows).toEqual([{ account_id: early.id }]);
    expect((await checkOf(early)).status).toBe(200);
  },
);
