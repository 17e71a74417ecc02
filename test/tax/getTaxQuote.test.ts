import { call } from '../support/client';
import { type Shop } from '../support/factories';
import { createPayShop } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { atHome, nameNetSeller, nameSeller } from '../support/tax';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const quote = ({ fee, consumer }: Shop, amount?: string, feeId = fee.id) =>
  call<{ errors: object }>(
    app,
    'GET',
    `/v2/tax/quotes/${feeId}${amount === undefined ? '' : `?amount=${amount}`}`,
    undefined,
    consumer,
  );

test('200: the tax within the price, or within the amount that is asked for', async () => {
  const shop = await createPayShop(app);
  expect(await quote(shop)).toMatchObject({ status: 200, body: { has_tax: false, net_amount: 4.5, tax_amount: 0 } });
  await nameSeller(app, shop);
  const whole = { has_tax: true, amount: 4.5, currency: 'EUR', net_amount: 3.78, tax_amount: 0.72, tax_rate: 19 };
  expect((await quote(shop)).body).toEqual({
    ...whole,
    ...{ tax_country: 'DE', treatment: 'domestic', shown_with_tax: true },
  });
  expect((await quote(shop, '1.19')).body).toMatchObject({ amount: 1.19, net_amount: 1, tax_amount: 0.19 });
  expect((await quote(shop, '0')).body).toMatchObject({ amount: 0, net_amount: 0, tax_amount: 0 });
});

test('200: a business abroad has no tax', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop);
  const details = { country: 'AT', tax_number: 'ATU13585627' };
  await call(app, 'PUT', '/v2/accounts/billing-details', details, shop.consumer);
  expect((await quote(shop)).body).toMatchObject({ treatment: 'reverse_charge', net_amount: 4.5, tax_country: 'AT' });
});

test('200: the tax is added to the price, or to the amount that is asked for', async () => {
  const shop = await createPayShop(app, { setup_fee_amount: '1.50' });
  await nameNetSeller(app, shop);
  const whole = { has_tax: true, amount: 7.14, currency: 'EUR', net_amount: 6, tax_amount: 1.14, tax_rate: 19 };
  expect((await quote(shop)).body).toEqual({
    ...whole,
    ...{ tax_country: 'DE', treatment: 'domestic', shown_with_tax: true, tax_behavior: 'exclusive' },
  });
  expect((await quote(shop, '0.01')).body).toMatchObject({ amount: 0.01, net_amount: 0.01, tax_amount: 0 });
  expect((await quote(shop, '0')).body).toMatchObject({ amount: 0, net_amount: 0, tax_amount: 0 });
});

test.each([
  ['a region with a registration', { country: 'CA', region: 'CA-ON' }, 13, 'domestic'],
  ['another region', { country: 'CA', region: 'CA-QC' }, 0, 'not_registered'],
  ['no region', { country: 'CA' }, 0, 'not_registered'],
  ['a business abroad', { country: 'AT', tax_number: 'ATU13585627' }, 0, 'reverse_charge'],
])('200: %s decides the total', async (_what, details, rate, treatment) => {
  const shop = await createPayShop(app, { amount: '10.00' });
  await nameSeller(app, shop, [atHome, { country: 'CA', region: 'CA-ON', scheme: 'domestic' }], {
    prices_include_tax: false,
  });
  await call(app, 'PUT', '/v2/accounts/billing-details', details, shop.consumer);
  const { body } = await quote(shop, '10');
  expect(body).toMatchObject({ net_amount: 10, amount: 10 + rate / 10, tax_rate: rate, treatment });
});

test('404 access_fee_not_found: the fee of another merchant', async () => {
  const [shop, other] = [await createPayShop(app), await createPayShop(app)];
  expect((await quote(shop, undefined, other.fee.id)).status).toBe(404);
});

test.each(['-1', '1.005', '10000000000000000'])('422: the amount %s is none in the currency', async (amount) => {
  const { status, body } = await quote(await createPayShop(app), amount);
  expect([status, Object.keys(body.errors)]).toEqual([422, ['amount']]);
});
