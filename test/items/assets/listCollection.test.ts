import qs from 'qs';
import { type Card, createItems, type Page } from '../../support/catalogue';
import { call } from '../../support/client';
import { createFee, createMerchant, type Person } from '../../support/factories';
import { type ErrorBody } from '../../support/raw';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const list = <Body = Page<Card> & { pages: number }>(merchant: Person, query: object = {}) =>
  call<Body>(app, 'GET', `/items/collection?${qs.stringify(query)}`, undefined, merchant);

test('200: the merchant’s items with their fees, and how many pages there are', async () => {
  const merchant = await createMerchant(app);
  const [first] = await createItems(app, merchant, ['B', 'C', 'A']);
  const fee = await createFee(app, merchant, first?.id ?? 0, { expires_at: 1_700_000_000 });
  const { status, body } = await list(merchant, { page: 2, limit: 2 });
  expect(status).toBe(200);
  expect(body).toMatchObject({ total: 3, pages: 2, page: 2, limit: 2 });
  expect(body.collection).toMatchObject([{ title: 'B', access_fees: [fee] }]);
  expect(JSON.stringify(body)).not.toContain('The final.');
  expect((await list(await createMerchant(app))).body).toMatchObject({ total: 0, pages: 0, collection: [] });
});

test('200: in the order that is asked for', async () => {
  const merchant = await createMerchant(app);
  const [first, second] = await createItems(app, merchant, ['B', 'C', 'A']);
  const titles = async (query: object) => (await list(merchant, query)).body.collection.map(({ title }) => title);
  expect(await titles({})).toEqual(['A', 'C', 'B']);
  expect(await titles({ order: 'id', direction: 'asc' })).toEqual(['B', 'C', 'A']);
  expect(await titles({ order: 'created_at', direction: 'DESC' })).toEqual(['A', 'C', 'B']);
  expect(await titles({ order: 'title', direction: 'asc' })).toEqual(['A', 'B', 'C']);
  expect(await titles({ order: 'title' })).toEqual(['C', 'B', 'A']);
  await app.pool.query(`UPDATE items SET updated_at = now() + interval '1 hour' WHERE id = $1`, [second?.id]);
  expect((await titles({ order: 'updated_at' }))[0]).toBe('C');
  await call(app, 'DELETE', `/items/${first?.id}`, undefined, merchant);
  expect(await titles({ is_active: 1 })).toEqual(['A', 'C']);
  expect(await titles({ is_active: 'false' })).toEqual(['B']);
});

test.each([
  ['order', { order: 'id; DROP TABLE items' }],
  ['order', { order: 'constructor' }],
  ['direction', { direction: 'up' }],
  ['is_active', { is_active: 'perhaps' }],
  ['page', { page: -1 }],
  ['size', { size: 501 }],
  ['limit', { limit: 501 }],
])('422 invalid_input: %s in %j', async (name, query) => {
  const { status, body } = await list<ErrorBody>(await createMerchant(app), query);
  expect({ status, fields: Object.keys(body.errors ?? {}) }).toEqual({ status: 422, fields: [name] });
});
