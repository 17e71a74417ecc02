import { call } from '../support/client';
import { createPayShop } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { atHome, nameSeller } from '../support/tax';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const add = (fields: Record<string, unknown>, merchant: Parameters<typeof call>[4]) =>
  call<{ registrations: object[]; errors: Record<string, string> }>(
    app,
    'POST',
    '/v2/tax/registrations',
    fields,
    merchant,
  );

test('201: a registration is added once, and its number is replaced', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop, []);
  expect((await add(atHome, shop.merchant)).status).toBe(201);
  const { body } = await add({ ...atHome, number: 'de 100.000.008' }, shop.merchant);
  expect(body).toMatchObject({ registrations: [{ country: 'DE', scheme: 'domestic', number: 'DE100000008' }] });
});

test('422: before the seller is named, and with a region of another country', async () => {
  const shop = await createPayShop(app);
  const early = await add(atHome, shop.merchant);
  expect([early.status, early.body.errors['country']]).toEqual([422, expect.stringContaining('named')]);
  await nameSeller(app, shop, []);
  const elsewhere = await add({ country: 'CA', region: 'US-NY', scheme: 'domestic' }, shop.merchant);
  expect([elsewhere.status, elsewhere.body.errors['region']]).toEqual([422, expect.stringContaining('country')]);
});

test.each([
  ['country', { country: 'US', scheme: 'domestic' }, 'US'],
  ['region', { country: 'US', region: 'US-NY', scheme: 'domestic' }, 'US-NY'],
  ['region', { country: 'CA', region: 'CA-BC', scheme: 'domestic' }, 'CA-BC'],
  ['region', { country: 'ES', region: 'ES-GC', scheme: 'domestic' }, 'ES-GC'],
])('422: a place without a rate is named with its %s, and nothing is stored', async (field, fields, place) => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop, []);
  const { status, body } = await add(fields, shop.merchant);
  expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  expect(body.errors[field]).toContain(`no tax rate for ${place}. The operator adds rates in TAX_RATES_FILE`);
  const stored = await call(app, 'GET', '/v2/tax/settings', undefined, shop.merchant);
  expect(stored.body).toMatchObject({ registrations: [] });
});

test.each([
  ['an exemption in a country without a rate', { country: 'US', scheme: 'exempt' }],
  ['Quebec', { country: 'CA', region: 'CA-QC', scheme: 'domestic' }],
  ['the one stop shop', { country: 'DE', scheme: 'oss' }],
])('201: %s', async (_, fields) => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop, []);
  const { status, body } = await add(fields, shop.merchant);
  expect([status, body.registrations]).toMatchObject([201, [{ ...fields, has_rate: true }]]);
});

test.each([
  ['with a wrong check digit', { country: 'DE', scheme: 'domestic', number: 'DE136695978' }],
  ['of another country', { country: 'FR', scheme: 'domestic', number: 'DE136695976' }],
  ['of the one stop shop for sales at home', { country: 'DE', scheme: 'domestic', number: 'EU276000001' }],
])('422: a number %s is named, and nothing is stored', async (_, fields) => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop, []);
  const { status, body } = await add(fields, shop.merchant);
  expect([status, body.errors]).toEqual([422, { number: 'The number must be a valid tax number of the country.' }]);
  const stored = await call(app, 'GET', '/v2/tax/settings', undefined, shop.merchant);
  expect(stored.body).toMatchObject({ registrations: [] });
});
