import { type Card, idsOf, sell } from '../../support/catalogue';
import { call } from '../../support/client';
import { createFee, createItem, createMerchant, createShop, type Person } from '../../support/factories';
import { type ErrorBody } from '../../support/raw';
import { createCountrySet } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

type Asset = Card & { content: string };

const save = <Body = Asset>(merchant: Person, fields: object) =>
  call<Body>(app, 'PATCH', '/items/asset', { ...fields }, merchant);

const monthly = { access_type: 'subscription', amount: '9.99', currency: 'EUR', description: 'Monthly pass' };

async function countItems({ id }: Person): Promise<number> {
  return (await app.pool.query('SELECT FROM items WHERE merchant_id = $1', [id])).rows.length;
}

test('200: a new item with its fees', async () => {
  const merchant = await createMerchant(app);
  const { status, body } = await save(merchant, {
    item_id: '',
    title: 'Cup final',
    item_type: 'html_asset',
    content: '<p>The final.</p>',
    metadata: { preview_title: 'Cup final, live' },
    access_fees: [
      { id: '', ...monthly },
      { ...monthly, access_type: 'ppv', amount: 5, description: 'Once' },
    ],
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    title: 'Cup final',
    content: '<p>The final.</p>',
    metahash: { preview_title: 'Cup final, live' },
    access_fees: [{ amount: 9.99 }, { amount: 5, description: 'Once' }],
  });
  expect((await call<Card>(app, 'GET', `/items/${body.id}`)).body.access_fees).toEqual(body.access_fees);
});

test('200: changes what is sent of an item and of the fees that are named, and adds the others', async () => {
  const shop = await createShop(app);
  const sold = await createFee(app, shop.merchant, shop.item.id, { amount: 5 });
  await sell(app, shop, sold);
  const { body } = await save(shop.merchant, {
    item_id: shop.item.id,
    title: 'Replay',
    access_fees: [
      { id: shop.fee.id, ...monthly, access_type: undefined, access_type_id: shop.fee.access_type.id, amount: 7 },
      { id: sold.id, ...monthly, amount: 6 },
      { ...monthly, amount: 8 },
    ],
  });
  expect(body).toMatchObject({ id: shop.item.id, title: 'Replay', content: '<p>The final.</p>' });
  expect(body.access_fees.map(({ amount }) => amount)).toEqual([7, 6, 8]);
  expect(body.access_fees[0]?.id).toBe(shop.fee.id);
  expect(idsOf(body.access_fees)).not.toContain(sold.id);
});

test('400 missing_parameter: the title of a new item', async () => {
  const merchant = await createMerchant(app);
  expect(await save<ErrorBody>(merchant, { content: 'x' })).toMatchObject({
    status: 400,
    body: { error: 'missing_parameter', errors: { title: 'The title must not be empty.' } },
  });
});

test('404 item_not_found: no such item, and an item of another merchant alike', async () => {
  const merchant = await createMerchant(app);
  const foreign = await createItem(app, await createMerchant(app));
  for (const item_id of [2_147_483_647, foreign.id])
    expect(await save(merchant, { item_id, title: 'Ours' })).toMatchObject({
      status: 404,
      body: { error: 'item_not_found' },
    });
});

test('404 access_fee_not_found: a fee of another item or merchant, and nothing is stored', async () => {
  const [shop, stranger] = [await createShop(app), await createShop(app)];
  const other = await createItem(app, shop.merchant);
  for (const [item_id, fee] of [
    [other.id, shop.fee],
    [shop.item.id, stranger.fee],
  ] as const)
    expect(
      await save(shop.merchant, { item_id, title: 'Replay', access_fees: [{ id: fee.id, ...monthly, amount: 1 }] }),
    ).toMatchObject({ status: 404, body: { error: 'access_fee_not_found' } });
  expect(await save(shop.merchant, { title: 'New', access_fees: [{ id: shop.fee.id, ...monthly }] })).toMatchObject({
    status: 404,
  });
  expect((await call<Card>(app, 'GET', `/items/${shop.item.id}`)).body).toMatchObject({
    title: 'Cup final',
    access_fees: [{ id: shop.fee.id, amount: 9.99 }],
  });
  expect(await countItems(shop.merchant)).toBe(2);
});

test('404 access_type_not_found: an access type of another merchant, and nothing is stored', async () => {
  const merchant = await createMerchant(app);
  const { fee } = await createShop(app);
  const access_fees = [{ ...monthly, access_type: undefined, access_type_id: fee.access_type.id }];
  expect(await save(merchant, { title: 'New', access_fees })).toMatchObject({
    status: 404,
    body: { error: 'access_type_not_found' },
  });
  expect(await countItems(merchant)).toBe(0);
});

test('404 country_set_not_found: a set of another merchant', async () => {
  const set = await createCountrySet(app, { merchant: await createMerchant(app) });
  const access_fees = [{ ...monthly, country_set_id: set.id }];
  expect(await save(await createMerchant(app), { title: 'New', access_fees })).toMatchObject({
    status: 404,
    body: { error: 'country_set_not_found' },
  });
});

test.each([
  ['access_fees.0.amount', [{ ...monthly, amount: -1 }]],
  ['access_fees.1.currency', [monthly, { ...monthly, currency: 'XXX' }]],
  ['access_fees.0.amount', [{ ...monthly, amount: '9.999' }]],
  ['access_fees.0.description', [{ ...monthly, description: '' }]],
  ['access_fees.0.country_iso', [{ ...monthly, country_iso: 'XX', restriction_type: 'blacklist' }]],
])('422 invalid_input: %s of %j, and nothing is stored', async (name, access_fees) => {
  const merchant = await createMerchant(app);
  const { status, body } = await save<ErrorBody>(merchant, { title: 'New', access_fees });
  expect({ status, fields: Object.keys(body.errors ?? {}) }).toEqual({ status: 422, fields: [name] });
  expect(await countItems(merchant)).toBe(0);
});
