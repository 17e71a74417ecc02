import { type Card, createItems, createPackage, idsOf, type Package, type Page } from '../../support/catalogue';
import { call } from '../../support/client';
import { createItem, createMerchant, type Person } from '../../support/factories';
import { type ErrorBody } from '../../support/raw';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const update = <Body = Package>(id: number, fields: object, person: Person = merchant) =>
  call<Body>(app, 'PATCH', `/v2/items/packages/${id}/bulk`, { ...fields }, person);

const held = async (id: number) =>
  idsOf((await call<Page<Card>>(app, 'GET', `/items/packages/${id}/items?size=500`)).body.collection).reverse();

test('200: puts items in and takes others out, and what is there or gone already does no harm', async () => {
  const [one, two, three] = idsOf(await createItems(app, merchant, ['One', 'Two', 'Three']));
  const { id } = await createPackage(app, merchant, { items: [one, two] });
  const { status, body } = await update(id, { add_asset_ids: [two, three, three], remove_asset_ids: [one] });
  expect({ status, items: body.items }).toEqual({ status: 200, items: 2 });
  expect(await held(id)).toEqual([two, three]);
  expect((await update(id, { remove_asset_ids: [one] })).body.items).toBe(2);
  expect((await update(id, { add_asset_ids: one })).body.items).toBe(3);
  expect((await update(id, { add_asset_ids: [one], remove_asset_ids: [one] })).body.items).toBe(3);
  expect((await update(id, {})).body.items).toBe(3);
});

test('200: ten changes at once are all made', async () => {
  const ids = idsOf(
    await createItems(
      app,
      merchant,
      Array.from({ length: 10 }, (_, index) => `Item ${index}`),
    ),
  );
  const { id } = await createPackage(app, merchant);
  const replies = await Promise.all(ids.map((added) => update(id, { add_asset_ids: [added] })));
  expect(replies.map(({ status }) => status)).toEqual(ids.map(() => 200));
  expect(await held(id)).toEqual(ids);
});

test('200: every replica is told which items changed', async () => {
  const [one, two] = idsOf(await createItems(app, merchant, ['One', 'Two']));
  const { id } = await createPackage(app, merchant, { items: [one] });
  const client = await app.pool.connect();
  const heard: string[] = [];
  client.on('notification', ({ payload }) => heard.push(payload ?? ''));
  await client.query('LISTEN items');
  await update(id, { add_asset_ids: [two], remove_asset_ids: [one] });
  await call(app, 'PATCH', `/v2/items/${two}`, { metadata: { preview_title: 'New' } }, merchant);
  await client.query('SELECT 1');
  client.release(true);
  expect([...new Set(heard)].sort()).toEqual([one, two, id].map(String).sort());
});

test('404 item_not_found: no such package, an item that is none, and a package of another merchant', async () => {
  const item = await createItem(app, merchant);
  const foreign = await createPackage(app, await createMerchant(app));
  for (const id of [2_147_483_647, item.id, foreign.id])
    expect(await update(id, { add_asset_ids: [] })).toMatchObject({ status: 404, body: { error: 'item_not_found' } });
});

test('404 item_not_found: an item of another merchant to add or to remove, and nothing changes', async () => {
  const [one, two] = idsOf(await createItems(app, merchant, ['One', 'Two']));
  const { id } = await createPackage(app, merchant, { items: [one] });
  const foreign = await createItem(app, await createMerchant(app));
  for (const unknown of [foreign.id, 2_147_483_647]) {
    const replies = [
      await update(id, { add_asset_ids: [two, unknown], remove_asset_ids: [one] }),
      await update(id, { add_asset_ids: [two], remove_asset_ids: [one, unknown] }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([404, 404]);
  }
  expect(await held(id)).toEqual([one]);
});

test('422 invalid_input: a package in a package, and nothing changes', async () => {
  const [one, two] = idsOf(await createItems(app, merchant, ['One', 'Two']));
  const { id } = await createPackage(app, merchant, { items: [one] });
  const inner = await createPackage(app, merchant);
  expect(await update<ErrorBody>(id, { add_asset_ids: [two, inner.id], remove_asset_ids: [one] })).toMatchObject({
    status: 422,
    body: { errors: { 'add_asset_ids.1': 'The add_asset_ids.1 must not be a package.' } },
  });
  expect(await held(id)).toEqual([one]);
});

test.each([
  ['add_asset_ids', { add_asset_ids: ['x'] }],
  ['remove_asset_ids', { remove_asset_ids: [0] }],
])('422 invalid_input: %s in %j', async (name, fields) => {
  const { id } = await createPackage(app, merchant);
  const { status, body } = await update<ErrorBody>(id, fields);
  expect({ status, fields: Object.keys(body.errors ?? {}) }).toEqual({ status: 422, fields: [`${name}.0`] });
});
