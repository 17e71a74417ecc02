import qs from 'qs';
import { createItems, idsOf, type Page } from '../support/catalogue';
import { call } from '../support/client';
import { createItem, createMerchant, type Person } from '../support/factories';
import { type ErrorBody } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

interface Row {
  id: number;
  title: string;
}

const list = <Body = Page<Row>>(merchant: Person, query: object = {}) =>
  call<Body>(app, 'GET', `/v2/items?${qs.stringify(query)}`, undefined, merchant);

const find = async (merchant: Person, ...search: string[]) =>
  (await list(merchant, { search })).body.collection.map(({ title }) => title);

test('200: the merchant’s items, newest first, a page at a time, without their content', async () => {
  const merchant = await createMerchant(app);
  await createItem(app, await createMerchant(app));
  const [first, second, third] = await createItems(app, merchant, ['One', 'Two', 'Three']);
  const { content, ...card } = third ?? { content: '' };
  const { status, body } = await list(merchant, { size: 2 });
  expect(status).toBe(200);
  expect(body).toMatchObject({ total: 3, page: 1, offset: 0, limit: 2 });
  expect(body.collection).toEqual([card, expect.objectContaining({ id: second?.id })]);
  expect(JSON.stringify(body)).not.toContain(content);
  expect(idsOf((await list(merchant, { page: 2, size: 2 })).body.collection)).toEqual([first?.id]);
  expect((await list(merchant, { page: 3, size: 2 })).body).toMatchObject({ total: 3, offset: 4, collection: [] });
  expect((await list(merchant, { page: 0, limit: 1 })).body).toMatchObject({ page: 1, limit: 1 });
});

test('200: by words of the title, whatever their case, and with what a pattern would read as a sign', async () => {
  const merchant = await createMerchant(app);
  await createItems(app, merchant, ['Cup final', '100% cup_winners', 'Semifinal', "O'Neill: a life", 'back\\slash']);
  expect(await find(merchant, 'title:FINAL')).toEqual(['Semifinal', 'Cup final']);
  expect(await find(merchant, 'title:cup', 'title:final')).toEqual(['Cup final']);
  expect(await find(merchant, 'title:%')).toEqual(['100% cup_winners']);
  expect(await find(merchant, 'title:p_w')).toEqual(['100% cup_winners']);
  expect(await find(merchant, 'title:k\\s')).toEqual(['back\\slash']);
  expect(await find(merchant, "title:O'Neill: a")).toEqual(["O'Neill: a life"]);
  expect(await find(merchant, "title:' OR 1=1 --")).toEqual([]);
});

test('200: by id and by the id at a platform', async () => {
  const merchant = await createMerchant(app);
  const one = await createItem(app, merchant, { title: 'One', external_asset_id: 'aB3' });
  const two = await createItem(app, merchant, { title: 'Two' });
  expect(await find(merchant, `id:${one.id}`)).toEqual(['One']);
  expect(await find(merchant, `id:${one.id}`, `id:${two.id}`)).toEqual([]);
  expect(await find(merchant, 'id:one')).toEqual([]);
  expect(await find(merchant, 'id:99999999999')).toEqual([]);
  expect(await find(merchant, 'external_id:aB3')).toEqual(['One']);
  expect(await find(merchant, 'external_asset_id:ab3')).toEqual([]);
});

test('200: naming another merchant finds nothing, and naming oneself everything', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  await createItem(app, merchant, { title: 'Ours' });
  await createItem(app, other, { title: 'Theirs' });
  expect(await find(merchant, `merchant_id:${other.id}`)).toEqual([]);
  expect(await find(merchant, `merchant_uuid:${other.uuid}`)).toEqual([]);
  expect(await find(merchant, `merchant_id:${merchant.id}`, `merchant_uuid:${merchant.uuid.toUpperCase()}`)).toEqual([
    'Ours',
  ]);
});

test('200: by type, and by whether they are on sale', async () => {
  const merchant = await createMerchant(app);
  const [sold, gone] = await createItems(app, merchant, ['Sold', 'Gone']);
  const bundle = await createItem(app, merchant, { title: 'Bundle', item_type: 'package' });
  await call(app, 'DELETE', `/items/${gone?.id}`, undefined, merchant);
  const ids = async (query: object) => idsOf((await list(merchant, query)).body.collection);
  expect(await ids({ item_type: 'package' })).toEqual([bundle.id]);
  expect(await ids({ item_type: 'html_asset' })).toEqual([gone?.id, sold?.id]);
  expect(await ids({ active: 'true' })).toEqual([bundle.id, sold?.id]);
  expect(await ids({ active: 'active', item_type: 'html_asset' })).toEqual([sold?.id]);
  expect(await ids({ active: '0' })).toEqual([gone?.id]);
  expect(await ids({ active: 'all' })).toEqual([bundle.id, gone?.id, sold?.id]);
});

test.each([
  ['page', { page: -1 }],
  ['size', { size: 501 }],
  ['limit', { limit: 0 }],
  ['search', { search: ['content:x'] }],
  ['search', { search: ['title'] }],
  ['search', { search: ['merchantId:1'] }],
  ['search', { search: [`title:${'x'.repeat(251)}`] }],
  ['item_type', { item_type: 'pdf' }],
  ['active', { active: 'perhaps' }],
])('422 invalid_input: %s in %j', async (name, query) => {
  const { status, body } = await list<ErrorBody>(await createMerchant(app), query);
  const fields = Object.keys(body.errors ?? {}).map((field) => field.split('.')[0]);
  expect({ status, error: body.error, fields }).toEqual({ status: 422, error: 'invalid_input', fields: [name] });
});
