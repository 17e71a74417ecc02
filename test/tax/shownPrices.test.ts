import { call } from '../support/client';
import { reaches, type Shop, subscribe } from '../support/factories';
import { createPayShop } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { atHome, nameSeller } from '../support/tax';

/** The form in which prices are shown, beside the stored amounts. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ TRUSTED_PROXIES: 'loopback' });
  await app.startWorker();
});
afterAll(() => app.stop());

const addresses = {
  Germany: '85.214.132.117',
  Britain: '212.58.244.20',
  Japan: '202.12.27.33',
  'the United States': '8.8.8.8',
  Canada: '132.216.177.160',
} as const;
type Place = keyof typeof addresses;

interface Offered {
  amount: number;
  tax_behavior?: string;
  shown_price?: object;
}

async function feeFrom({ item }: Shop, from: Place): Promise<Offered | undefined> {
  const headers = { 'X-Forwarded-For': addresses[from] };
  const { body } = await call<Offered[]>(app, 'GET', `/v2/items/${item.id}/access-fees`, undefined, { headers });
  return body[0];
}

const inCanada = { country: 'CA', scheme: 'domestic' };
const inBritain = { country: 'GB', scheme: 'domestic', number: '' };
const registrations = [atHome, inCanada, inBritain];

async function createTaxedShop(fields: object): Promise<Shop> {
  const shop = await createPayShop(app, { amount: '10.00', setup_fee_amount: '2.00' });
  await nameSeller(app, shop, registrations, { ...fields });
  return shop;
}

test.each([
  ['Germany', true, { amount: 10, setup_fee_amount: 2, with_tax: true }],
  ['Canada', true, { amount: 9.52, setup_fee_amount: 1.9, with_tax: false }],
  // Nothing is added to a price that includes tax where there is none.
  ['the United States', true, { amount: 10, setup_fee_amount: 2, with_tax: true }],
  ['Germany', false, { amount: 11.9, setup_fee_amount: 2.38, with_tax: true }],
  ['Britain', false, { amount: 12, setup_fee_amount: 2.4, with_tax: true }],
  ['Japan', false, { amount: 10, setup_fee_amount: 2, with_tax: true }],
  ['Canada', false, { amount: 10, setup_fee_amount: 2, with_tax: false }],
  ['the United States', false, { amount: 10, setup_fee_amount: 2, with_tax: false }],
] as const)('200: a visitor from %s; stored prices include tax: %p', async (from, prices_include_tax, shown) => {
  const shop = await createTaxedShop({ prices_include_tax });
  const fee = await feeFrom(shop, from);
  expect(fee).toMatchObject({ amount: 10, setup_fee: { fee_amount: 2 }, shown_price: shown });
  expect(fee?.tax_behavior).toBe(prices_include_tax ? undefined : 'exclusive');
});

test.each([
  ['with_tax', 'Canada', true, { amount: 10, with_tax: true }],
  ['with_tax', 'Canada', false, { amount: 10.5, with_tax: true }],
  ['without_tax', 'Germany', true, { amount: 8.4, with_tax: false }],
  ['without_tax', 'Germany', false, { amount: 10, with_tax: false }],
] as const)(
  '200: %s, from %s; stored prices include tax: %p',
  async (shown_prices, from, prices_include_tax, shown) => {
    const shop = await createTaxedShop({ prices_include_tax, shown_prices });
    expect(await feeFrom(shop, from)).toMatchObject({ amount: 10, shown_price: shown });
  },
);

test('200: without a tax profile there is no other price, and a provider is not asked for each visitor', async () => {
  const shop = await createPayShop(app);
  expect((await feeFrom(shop, 'Canada'))?.shown_price).toBeUndefined();
  await nameSeller(app, shop, registrations, { prices_include_tax: false });
  await app.pool.query(`UPDATE tax_profiles SET calculation = 'provider' WHERE merchant_id = $1`, [shop.merchant.id]);
  expect(await feeFrom(shop, 'Germany')).toMatchObject({ shown_price: { amount: 4.5, with_tax: false } });
});

test('200: the quote says in which form its customer sees the price, a consumer and a business', async () => {
  const shop = await createTaxedShop({});
  const shownTo = async (details: object) => {
    await call(app, 'PUT', '/v2/accounts/billing-details', { ...details }, shop.consumer);
    const { body } = await call<object>(app, 'GET', `/v2/tax/quotes/${shop.fee.id}`, undefined, shop.consumer);
    return body;
  };
  expect(await shownTo({ country: 'DE' })).toMatchObject({ amount: 12, net_amount: 10.08, shown_with_tax: true });
  expect(await shownTo({ country: 'CA' })).toMatchObject({ amount: 12, net_amount: 11.43, shown_with_tax: false });
  const business = { country: 'CA', tax_number: '123026635RT0001' };
  // With reverse charge there is no tax within the price.
  expect(await shownTo(business)).toMatchObject({ amount: 12, net_amount: 12, shown_with_tax: true });
  expect(await shownTo({ country: 'AT', tax_number: 'ATU13585627' })).toMatchObject({ shown_with_tax: true });
});

test.each([
  ['the United States', 'US', {}, true],
  ['the United States', 'US', { shown_prices: 'without_tax' }, true],
  ['the United States', 'US', { prices_include_tax: false }, false],
  ['Canada', 'CA', {}, false],
  ['Canada', 'CA', { prices_include_tax: false }, false],
  ['Germany', 'DE', {}, true],
  ['Germany', 'DE', { shown_prices: 'without_tax' }, false],
  ['Japan', 'JP', { shown_prices: 'without_tax' }, true],
] as const)('200: the fee and the quote have the same form: %s, %s, %o', async (from, country, fields, isWithTax) => {
  const shop = await createTaxedShop(fields);
  await call(app, 'PUT', '/v2/accounts/billing-details', { country }, shop.consumer);
  // Also for an amount whose tax is rounded to nothing.
  for (const query of ['', '?amount=0.01']) {
    const { body } = await call(app, 'GET', `/v2/tax/quotes/${shop.fee.id}${query}`, undefined, shop.consumer);
    expect(body).toMatchObject({ shown_with_tax: isWithTax });
  }
  expect(await feeFrom(shop, from)).toMatchObject({ shown_price: { with_tax: isWithTax } });
});

test('200: a subscription to whose price the tax is added has its price in the same form', async () => {
  const shop = await createPayShop(app, {
    access_type: 'subscription',
    period: 'month',
    quantity: '1',
    amount: '10.00',
  });
  await nameSeller(app, shop, registrations, { prices_include_tax: false });
  const { body } = await subscribe(app, shop);
  const active = await reaches(app, shop.consumer, body.subscription_id, 'active');
  expect(active).toMatchObject({ subscription_price: 10, next_amount: 11.9 });
  expect(active).toMatchObject({ shown_price: { amount: 11.9, with_tax: true } });
  await nameSeller(app, shop, [], { prices_include_tax: true, shown_prices: 'without_tax' });
  expect(await reaches(app, shop.consumer, body.subscription_id, 'active')).toMatchObject({
    ...{ subscription_price: 10, tax_behavior: 'exclusive', shown_price: { amount: 10, with_tax: false } },
  });
});

test('200: the price of a subscription has the tax of its next charge, once the customer has other billing details', async () => {
  const monthly = { access_type: 'subscription', period: 'month', quantity: '1', amount: '10.00' };
  const shop = await createPayShop(app, monthly);
  await nameSeller(app, shop, registrations, { prices_include_tax: false });
  const { body } = await subscribe(app, shop);
  const id = body.subscription_id;
  await reaches(app, shop.consumer, id, 'active');
  const shownWith = async (details: Record<string, string>) => {
    expect((await call(app, 'PUT', '/v2/accounts/billing-details', details, shop.consumer)).status).toBe(200);
    return (await call<object>(app, 'GET', `/subscriptions/${id}`, undefined, shop.consumer)).body;
  };
  expect(await shownWith({ country: 'AT', tax_number: 'ATU13585627' })).toMatchObject({
    ...{ next_amount: 10, shown_price: { amount: 10, with_tax: true } },
  });
  expect(await shownWith({ country: 'GB' })).toMatchObject({
    ...{ next_amount: 12, shown_price: { amount: 12, with_tax: true } },
  });
  expect(await shownWith({ country: 'CA' })).toMatchObject({
    ...{ next_amount: 10.5, shown_price: { amount: 10, with_tax: false } },
  });
  // In the lists of a merchant both have the tax of the latest charge.
  const stored = { next_amount: 11.9, shown_price: { amount: 11.9, with_tax: true } };
  const list = await call<object>(app, 'GET', '/subscriptions', undefined, shop.merchant);
  expect(list.body).toMatchObject({ collection: [stored] });
});
