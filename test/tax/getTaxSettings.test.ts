import { call } from '../support/client';
import { createPayShop } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { nameSeller, seller } from '../support/tax';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: nothing is set at first, then the seller and its registrations', async () => {
  const shop = await createPayShop(app);
  const before = await call(app, 'GET', '/v2/tax/settings', undefined, shop.merchant);
  expect(before).toMatchObject({ status: 200, body: { profile: null, registrations: [], missing: [] } });
  await nameSeller(app, shop);
  const after = await call(app, 'GET', '/v2/tax/settings', undefined, shop.merchant);
  expect(after.body).toMatchObject({
    profile: {
      ...seller,
      tax_number: '',
      item_kind: 'standard',
      time_zone: 'UTC',
      prices_include_tax: true,
      calculation: 'table',
    },
    prices_include_tax: true,
    registrations: [{ country: 'DE', region: '', scheme: 'domestic', number: 'DE136695976', has_rate: true }],
  });
});

test('200: a registration whose rate the table has lost is shown as one without a rate', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop);
  await app.pool.query(
    `INSERT INTO tax_registrations (merchant_id, country, region, scheme) VALUES ($1, 'US', 'US-NY', 'domestic')`,
    [shop.merchant.id],
  );
  const { body } = await call(app, 'GET', '/v2/tax/settings', undefined, shop.merchant);
  expect(body).toMatchObject({
    registrations: [
      { country: 'DE', has_rate: true },
      { country: 'US', region: 'US-NY', has_rate: false },
    ],
  });
});
