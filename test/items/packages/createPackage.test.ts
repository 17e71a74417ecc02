import { type Card, createItems, createPackage, idsOf, type Package, type Page } from '../../support/catalogue';
import { call } from '../../support/client';
import { createItem, createMerchant, createShop, type Person } from '../../support/factories';
import { type ErrorBody } from '../../support/raw';
import { createCountrySet } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const create = <Body = Package>(fields: object) => call<Body>(app, 'POST', '/items/packages', { ...fields }, merchant);

const yearly = { access_type: 'subscription', period: 'year', amount: 99, currency: 'EUR', description: 'All year' };

async function countPackages(): Promise<number> {
  const text = `SELECT FROM items WHERE merchant_id = $1 AND item_type = 'package'`;
  return (await app.pool.query(text, [merchant.id])).rows.length;
}

test('201: an item of the type package with its items and fees of its own', async () => {
  const items = idsOf(await createItems(app, merchant, ['One', 'Two']));
  const { status, body } = await create({
    title: 'Season ticket',
    content: 'All matches',
    metadata: { preview_title: 'Season' },
    items: [...items, items[0]],
    access_fees: [yearly],
  });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    title: 'Season ticket',
    content: 'All matches',
    metahash: { preview_title: 'Season' },
    item_type: { name: 'package', content_type: 'package' },
    items: 2,
    access_fees: [{ item_id: body.id, item_type: 'package', amount: 99 }],
  });
  const { body: page } = await call<Page<Card>>(app, 'GET', `/items/packages/${body.id}/items`);
  expect(idsOf(page.collection)).toEqual([...items].reverse());
});

test('201: many packages at once, with the same new types in every order', async () => {
  const fees = ['day', 'week', 'month'].map((period) => ({ ...yearly, period, quantity: 9 }));
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      create({ title: 'Season ticket', access_fees: index % 2 ? fees : fees.toReversed() }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  const types = 'SELECT FROM access_types WHERE merchant_id = $1 AND quantity = 9';
  expect((await app.pool.query(types, [merchant.id])).rows).toHaveLength(3);
});

test('201: a package of nothing', async () => {
  expect((await create({ title: 'Later' })).body).toMatchObject({ items: 0, access_fees: [], content: '' });
});

test('400 missing_parameter: the title', async () => {
  expect((await create<ErrorBody>({ content: 'x' })).body.errors).toEqual({ title: 'The title must not be empty.' });
});

test('404 item_not_found: no such item, and an item of another merchant, and nothing is stored', async () => {
  const own = await createItem(app, merchant);
  const foreign = await createItem(app, await createMerchant(app));
  const before = await countPackages();
  const access_fees = [{ ...yearly, quantity: 7 }];
  for (const id of [2_147_483_647, foreign.id])
    expect(await create({ title: 'Both', items: [own.id, id], access_fees })).toMatchObject({
      status: 404,
      body: { error: 'item_not_found' },
    });
  expect(await countPackages()).toBe(before);
  const types = 'SELECT FROM access_types WHERE merchant_id = $1 AND quantity = 7';
  expect((await app.pool.query(types, [merchant.id])).rows).toEqual([]);
});

test('404 access_fee_not_found: a fee that is another item’s', async () => {
  const { fee } = await createShop(app);
  const before = await countPackages();
  expect(await create({ title: 'Season ticket', access_fees: [{ id: fee.id, ...yearly }] })).toMatchObject({
    status: 404,
    body: { error: 'access_fee_not_found' },
  });
  expect(await countPackages()).toBe(before);
});

test('404 access_type_not_found: an access type of another merchant', async () => {
  const { fee } = await createShop(app);
  const access_fees = [{ ...yearly, access_type_id: fee.access_type.id }];
  expect(await create({ title: 'Season ticket', access_fees })).toMatchObject({
    status: 404,
    body: { error: 'access_type_not_found' },
  });
});

test('404 country_set_not_found: a set of another merchant', async () => {
  const set = await createCountrySet(app, { merchant: await createMerchant(app) });
  const access_fees = [{ ...yearly, country_set_id: set.id }];
  expect(await create({ title: 'Season ticket', access_fees })).toMatchObject({
    status: 404,
    body: { error: 'country_set_not_found' },
  });
});

test('422 invalid_input: a package in a package, and nothing is stored', async () => {
  const [item, inner] = [await createItem(app, merchant), await createPackage(app, merchant)];
  const before = await countPackages();
  expect(await create<ErrorBody>({ title: 'Outer', items: [item.id, inner.id] })).toMatchObject({
    status: 422,
    body: { errors: { 'items.1': 'The items.1 must not be a package.' } },
  });
  expect(await countPackages()).toBe(before);
});

test.each([
  ['title', { title: 'x'.repeat(251) }],
  ['items.0', { items: ['x'] }],
  ['items.0', { items: [-1] }],
  ['access_fees.0.amount', { access_fees: [{ ...yearly, amount: -1 }] }],
  ['access_fees.0', { access_fees: 'free' }],
])('422 invalid_input: %s in %j', async (name, change) => {
  const { status, body } = await create<ErrorBody>({ title: 'Season ticket', ...change });
  expect({ status, fields: Object.keys(body.errors ?? {}) }).toEqual({ status: 422, fields: [name] });
});
