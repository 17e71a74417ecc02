import { type z } from 'zod';
import { type PurchasePage } from '../../../../src/customers/purchases.schemas';
import { call } from '../../../support/client';
import { createShop, type Shop } from '../../../support/factories';
import { grant } from '../../../support/grant';
import { startApp, type TestApp } from '../../../support/startApp';
import { until } from '../../../support/until';
import { vacuum } from '../../../support/vacuum';

let app: TestApp;
let shop: Shop;

/** A merchant pages through a long history in which almost everything has lapsed. */
beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app);
  await app.pool.query(
    `INSERT INTO accesses (merchant_id, account_id, item_id, source, source_id, environment, starts_at, expires_at)
     SELECT $1, $2, $3, 'payment', n, 'test', now() - interval '2 years', now() - interval '1 year'
     FROM generate_series(1, 40000) AS n`,
    [shop.merchant.id, shop.consumer.id, shop.item.id],
  );
});
afterAll(() => app.stop());

const read = (query: string) =>
  call<z.output<typeof PurchasePage>>(app, 'GET', `/items/access/customers?${query}`, undefined, shop.merchant);

const usesOf = async (index: string) => {
  const text = 'SELECT idx_scan::int AS uses FROM pg_stat_user_indexes WHERE indexrelname = $1';
  const { rows } = await app.pool.query<{ uses: number }>(text, [index]);
  return rows[0]?.uses ?? 0;
};

test.each([
  ['status=active', 'accesses_merchant_ends', {}],
  ['type=purchased', 'accesses_merchant_ends', {}],
  ['type=revoked', 'accesses_merchant_revoked', { revoked: true }],
])('200: with %s the few of many are found by %s', async (query, index, period) => {
  const { id } = await grant(app, shop, { from: '-1 hour', to: '1 day', ...period });
  await vacuum(app.pool, ['accesses']);
  const before = await usesOf(index);
  const { status, body } = await read(query);
  expect([status, body.collection[0]?.item_access_id]).toEqual([200, id]);
  await until(async () => (await usesOf(index)) > before);
});
