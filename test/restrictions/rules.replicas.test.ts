import { startProxy, type Proxy } from '../support/proxy';
import { createOpenShop, manage, refusalOf } from '../support/restrictions';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

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

const byId = 'merchant_id = $1';
const set = `INSERT INTO country_sets (merchant_id, name, type, is_global) VALUES ($1, 'S', 'whitelist', true)`;

test.each([
  ['age', 'INSERT INTO age_restrictions (merchant_id, min_age) VALUES ($1, 18)', 'age_restrictions'],
  [
    'domain',
    `INSERT INTO domain_restrictions (merchant_id, type, domain) VALUES ($1, 'whitelist', 'a.example')`,
    'domain_restrictions',
  ],
  ['geo', set, 'country_sets'],
  ['geo', set.replace('country_sets', 'geo_sets'), 'geo_sets'],
  [
    'pin',
    `UPDATE restriction_settings SET age_verification_enabled = true, age_verification_type = 'pin_code' WHERE ${byId}`,
    'restriction_settings',
  ],
])(
  '402 access_restricted: %s, as soon as its NOTIFY arrives, and no longer than it stands',
  async (kind, sql, table) => {
    const shop = await createOpenShop(app);
    expect(await refusalOf(app, shop)).toBeUndefined();
    await app.pool.query(sql, [shop.merchant.id]);
    await until(async () => (await refusalOf(app, shop)) === kind);
    await app.pool.query(`DELETE FROM ${table} WHERE ${byId}`, [shop.merchant.id]);
    await until(async () => (await refusalOf(app, shop)) === undefined);
  },
);

test('402 access_restricted: a rule set here applies to the very next check, in the order of the answers', async () => {
  const shop = await createOpenShop(app);
  for (let times = 0; times < 10; times += 1) {
    await manage(app, shop, 'POST', 'age', { min_age: 18 });
    expect(await refusalOf(app, shop)).toBe('age');
    await manage(app, shop, 'DELETE', 'age');
    expect(await refusalOf(app, shop)).toBeUndefined();
  }
});

test('402 access_restricted: what was missed while the database was away is seen after it', async () => {
  const shop = await createOpenShop(app);
  expect(await refusalOf(app, shop)).toBeUndefined();
  proxy.cut();
  const attemptsBefore = proxy.attempts();
  await setBehindTheProxy(shop.merchant.id);
  await until(() => proxy.attempts() > attemptsBefore + 3);
  proxy.restore();
  await until(async () => (await refusalOf(app, shop).catch(() => undefined)) === 'age');
});

async function setBehindTheProxy(merchantId: number): Promise<void> {
  const { Client } = await import('pg');
  const url = new URL(process.env['TEST_DATABASE_ADMIN_URL'] ?? '');
  url.pathname = new URL(proxy.url).pathname;
  const client = new Client(url.href);
  await client.connect();
  await client.query('INSERT INTO age_restrictions (merchant_id, min_age) VALUES ($1, 18)', [merchantId]);
  await client.end();
}
