import { type Card, createItems, createPackage, idsOf, type Package, type Page } from '../../support/catalogue';
import { call } from '../../support/client';
import { createFee, createItem, createMerchant, createShop, type Person } from '../../support/factories';
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

const update = <Body = Package>(id: number, fields: object, person: Person = merchant) =>
  call<Body>(app, 'PUT', `/items/packages/${id}`, { ...fields }, person);

const held = async (id: number) =>
  idsOf((await call<Page<Card>>(app, 'GET', `/items/packages/${id}/items`)).body.collection).reverse();

const yearly = { access_type: 'subscription', period: 'year', amount: 99, currency: 'EUR', description: 'All year' };

test('200: what is sent changes; items that are sent are those that it holds from now on', async () => {
  const [one, two, three] = idsOf(await createItems(app, merchant, ['One', 'Two', 'Three']));
  const made = await createPackage(app, merchant, { items: [one, two], content: 'All', metadata: { a: '1' } });
  const fee = await createFee(app, merchant, made.id);
  const renamed = await update(made.id, { title: 'All matches' });
  expect(renamed).toMatchObject({
    status: 200,
    body: {
      id: made.id,
      title: 'All matches',
      content: 'All',
      metahash: { a: '1' },
      items: 2,
      access_fees: [{ id: fee.id }],
    },
  });
  const fees = [
    { ...yearly, id: fee.id },
    { ...yearly, amount: 5, period: 'day' },
  ];
  const { body } = await update(made.id, { items: [two, three], access_fees: fees });
  expect(body.access_fees.map(({ amount }) => amount)).toEqual([99, 5]);
  expect(body.access_fees[0]?.id).toBe(fee.id);
  expect(await held(made.id)).toEqual([two, three]);
});

test('400 missing_parameter: what a fee of a type needs, and nothing is stored', async () => {
  const { id } = await createPackage(app, merchant);
  const access_fees = [{ ...yearly, access_type: 'ppv_custom' }];
  const { status, body } = await update<ErrorBody>(id, { title: 'Other', access_fees });
  expect({ status, errors: body.errors }).toEqual({
    status: 400,
    errors: { 'access_fees.0.expires_at': 'The access_fees.0.expires_at must not be empty.' },
  });
});

test('404 item_not_found: no such package, an item that is none, and a package of another merchant', async () => {
  const item = await createItem(app, merchant);
  const foreign = await createPackage(app, await createMerchant(app));
  for (const id of [2_147_483_647, item.id, foreign.id])
    expect(await update(id, { title: 'Ours' })).toMatchObject({ status: 404, body: { error: 'item_not_found' } });
  expect((await call<Package>(app, 'GET', `/items/packages/${foreign.id}`)).body.title).toBe('Season ticket');
});

test('404 item_not_found: an item of another merchant, and nothing changes', async () => {
  const [one, two] = idsOf(await createItems(app, merchant, ['One', 'Two']));
  const made = await createPackage(app, merchant, { items: [one] });
  const foreign = await createItem(app, await createMerchant(app));
  expect((await update(made.id, { title: 'Other', items: [two, foreign.id] })).status).toBe(404);
  expect(await held(made.id)).toEqual([one]);
  expect((await call<Package>(app, 'GET', `/items/packages/${made.id}`)).body.title).toBe('Season ticket');
});

test('404 access_fee_not_found: a fee that is another item’s', async () => {
  const { fee } = await createShop(app);
  const { id } = await createPackage(app, merchant);
  expect(await update(id, { access_fees: [{ ...yearly, id: fee.id }] })).toMatchObject({
    status: 404,
    body: { error: 'access_fee_not_found' },
  });
});

test('404 access_type_not_found: an access type of another merchant', async () => {
  const { fee } = await createShop(app);
  const { id } = await createPackage(app, merchant);
  const access_fees = [{ ...yearly, access_type_id: fee.access_type.id }];
  expect(await update(id, { access_fees })).toMatchObject({ status: 404, body: { error: 'access_type_not_found' } });
});

test('404 country_set_not_found: a set of another merchant', async () => {
  const set = await createCountrySet(app, { merchant: await createMerchant(app) });
  const { id } = await createPackage(app, merchant);
  expect(await update(id, { access_fees: [{ ...yearly, country_set_id: set.id }] })).toMatchObject({
    status: 404,
    body: { error: 'country_set_not_found' },
  });
});

test('422 invalid_input: itself, and another package, in its items', async () => {
  const [made, other] = [await createPackage(app, merchant), await createPackage(app, merchant)];
  for (const id of [made.id, other.id])
    expect((await update<ErrorBody>(made.id, { items: [id] })).body.errors).toEqual({
      'items.0': 'The items.0 must not be a package.',
    });
});
