import { idsOf, type Card } from '../support/catalogue';
import { call } from '../support/client';
import { createItem, createMerchant } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const usesOf = async (index: string) => {
  const text = 'SELECT idx_scan::int AS uses FROM pg_stat_user_indexes WHERE indexrelname = $1';
  const { rows } = await app.pool.query<{ uses: number }>(text, [index]);
  return rows[0]?.uses ?? 0;
};

test('200: of many items the ones with a text in their title are found by the index of titles', async () => {
  const merchant = await createMerchant(app);
  const insert = `INSERT INTO items (merchant_id, title, item_type)
    SELECT $1, 'Match ' || md5(n::text), 'html_asset' FROM generate_series(1, 20000) AS n`;
  await app.pool.query(insert, [merchant.id]);
  const sought = await createItem(app, merchant, { title: 'The great Cup Final of Skopje' });
  await app.pool.query('ANALYZE items');
  const before = await usesOf('items_title_parts');
  const { body } = await call<{ total: number; collection: Card[] }>(
    app,
    'GET',
    '/v2/items?search[]=title:cup final&search[]=title:skopje',
    undefined,
    merchant,
  );
  expect([body.total, idsOf(body.collection)]).toEqual([1, [sought.id]]);
  await until(async () => (await usesOf('items_title_parts')) > before);
});

test('200: so many that their number is remembered are told as they were counted', async () => {
  const merchant = await createMerchant(app);
  const insert = `INSERT INTO items (merchant_id, title, item_type)
    SELECT $1, 'Match ' || n, 'html_asset' FROM generate_series(1, 10001) AS n`;
  await app.pool.query(insert, [merchant.id]);
  const totalOn = async (page: number) =>
    (await call<{ total: number }>(app, 'GET', `/v2/items?size=500&page=${page}`, undefined, merchant)).body.total;
  expect([await totalOn(1), await totalOn(2), await totalOn(21)]).toEqual([10_001, 10_001, 10_001]);
});
