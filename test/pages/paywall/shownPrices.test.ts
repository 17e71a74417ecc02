import { createPackage } from '../../support/access';
import { type Chromium, describeInBrowser, faultsOf, startChromium } from '../../support/chromium';
import { giveCredit } from '../../support/balances';
import { pathOf, signedInAt } from '../../support/checkout';
import { call } from '../../support/client';
import { createFee, createItem, createShop, reaches, type Shop, subscribe } from '../../support/factories';
import { PageWalker } from '../../support/pageWalker';
import { heading, paywallOf, registerAt } from '../../support/paywall';
import { startApp, type TestApp } from '../../support/startApp';
import { atHome, nameSeller } from '../../support/tax';
import { createVoucher } from '../../support/vouchers';

/** Prices at the paywall and in the portal, with or without tax as the visitor's country expects. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ TRUSTED_PROXIES: 'loopback' });
  await app.startWorker();
});
afterAll(() => app.stop());

const germany = { 'X-Forwarded-For': '85.214.132.117' };
const canada = { 'X-Forwarded-For': '132.216.177.160' };
const words = (text: string) => text.replaceAll(/<[^>]+>|\s+/g, ' ').replaceAll(/ +/g, ' ');

async function createTaxedShop(fields: Record<string, unknown>): Promise<Shop> {
  const shop = await createShop(app, { amount: '10.00', description: 'Monthly' });
  await nameSeller(app, shop, [atHome, { country: 'CA', scheme: 'domestic' }], fields);
  return shop;
}

const halved = ({ fee }: Shop) => ({ fee: String(fee.id), do: 'voucher', voucher_code: 'HALF50' });

const offerOf = async (shop: Shop, headers: Record<string, string>) =>
  words((await new PageWalker(app, headers).open(pathOf(shop))).text);

test.each([
  [true, '€10.00 every month', '€9.52 every month plus tax'],
  [false, '€11.90 every month', '€10.00 every month plus tax'],
])('stored prices include tax: %p', async (prices_include_tax, inGermany, inCanada) => {
  const shop = await createTaxedShop({ prices_include_tax });
  const german = await offerOf(shop, germany);
  expect(german).toContain(inGermany);
  expect(german).not.toContain('plus tax');
  expect(await offerOf(shop, canada)).toContain(inCanada);
});

test.each([
  ['with_tax', '€10.00 every month', '€10.00 every month'],
  ['without_tax', '€8.40 every month plus tax', '€9.52 every month plus tax'],
])('the merchant shows prices %s in all countries', async (shown_prices, inGermany, inCanada) => {
  const shop = await createTaxedShop({ shown_prices });
  expect(await offerOf(shop, germany)).toContain(inGermany);
  expect(await offerOf(shop, canada)).toContain(inCanada);
  if (shown_prices === 'with_tax') expect(await offerOf(shop, canada)).not.toContain('plus tax');
});

test('the saving of a year is that of the shown prices', async () => {
  const shop = await createTaxedShop({ prices_include_tax: false });
  await createFee(app, shop.merchant, shop.item.id, { amount: '96.00', description: 'Yearly', period: 'year' });
  const text = await offerOf(shop, germany);
  expect(text).toContain('€114.24 every year');
  expect(text).toContain('€9.52');
});

test('the checkout of a consumer in the Union shows the total, the tax within it, a voucher and a credit', async () => {
  const shop = await createTaxedShop({ prices_include_tax: false });
  await createVoucher(app, shop.merchant, { code: 'HALF50', discount: 50 });
  const walker = await signedInAt(app, shop);
  const { text } = await walker.open(pathOf(shop));
  expect(words(text)).toContain('Renews automatically: €11.90 every month.');
  expect(text).toContain('Includes €1.90 tax (19%)');
  expect(text).not.toContain('Price without tax');
  const fields = halved(shop);
  const half = words((await walker.submit(`${pathOf(shop)}/price`, fields)).text);
  expect(half).toMatch(/€11\.90 €5\.95/);
  expect(half).toContain('Includes €0.95 tax (19%)');
  await giveCredit(app, shop.consumer.id, 100);
  // The tax belongs to the total, and not to what is left of it.
  expect(words((await walker.submit(`${pathOf(shop)}/price`, fields)).text)).toContain(
    'Price without tax €5.00 Tax (19%) €0.95 Total with tax €5.95',
  );
});

test('the checkout in Canada shows the price, the tax and the total, whatever the stored price is', async () => {
  const shop = await createTaxedShop({});
  await call(app, 'PUT', '/v2/accounts/billing-details', { country: 'CA', region: 'CA-ON' }, shop.consumer);
  const walker = await signedInAt(app, shop);
  const text = words((await walker.open(pathOf(shop))).text);
  expect(text).toContain('€8.85 every month plus tax');
  expect(text).toContain('Price without tax €8.85 Tax (13%) €1.15');
  expect(text).toContain('Pay €10.00');
  expect(text).not.toContain('Includes');
  await giveCredit(app, shop.consumer.id, 100);
  // The tax within what is left of the price.
  const rest = words((await walker.open(pathOf(shop))).text);
  expect(rest).toContain('Includes €1.04 tax (13%)');
  expect(rest).not.toContain('Price without tax');
});

test.each([
  ['the prices include none', {}, '€10.00 €5.00'],
  ['none is added', { prices_include_tax: false }, '€10.00 €5.00'],
])(
  'a voucher in the United States without tax: the price before stands beside the total; %s',
  async (_, fields, told) => {
    const shop = await createTaxedShop(fields);
    await createVoucher(app, shop.merchant, { code: 'HALF50', discount: 50 });
    const address = { country: 'US', region: 'US-NY', postal_code: '10118' };
    expect((await call(app, 'PUT', '/v2/accounts/billing-details', address, shop.consumer)).status).toBe(200);
    const walker = await signedInAt(app, shop);
    const { text } = await walker.submit(`${pathOf(shop)}/price`, halved(shop));
    expect(words(text)).toContain(told);
    expect(text).not.toContain('Price without tax');
  },
);

test('a voucher in Canada: the price before is without tax, so it does not stand beside the total', async () => {
  const shop = await createTaxedShop({});
  await createVoucher(app, shop.merchant, { code: 'HALF50', discount: 50 });
  await call(app, 'PUT', '/v2/accounts/billing-details', { country: 'CA', region: 'CA-ON' }, shop.consumer);
  const walker = await signedInAt(app, shop);
  const { text } = await walker.submit(`${pathOf(shop)}/price`, halved(shop));
  expect(words(text)).toContain('Price without tax €4.42 Tax (13%) €0.58');
  expect(text).not.toContain('<s class');
  await giveCredit(app, shop.consumer.id, 100);
  // A credit is settled with the total, so both amounts are with tax.
  expect(words((await walker.submit(`${pathOf(shop)}/price`, halved(shop))).text)).toContain('€10.00 €4.00');
});

test('a customer sees the prices of packages in the form of the billing address, as at the checkout', async () => {
  const shop = await createTaxedShop({ prices_include_tax: false });
  const item = await createItem(app, shop.merchant);
  await createFee(app, shop.merchant, await createPackage(app, shop.merchant, [item.id]), { amount: '50.00' });
  await call(app, 'PUT', '/v2/accounts/billing-details', { country: 'CA', region: 'CA-ON' }, shop.consumer);
  const inPackages = { ...shop, item };
  expect(await offerOf(inPackages, germany)).toContain('€59.50 every month');
  const text = words((await (await signedInAt(app, inPackages)).open(pathOf(inPackages))).text);
  expect(text).toContain('€50.00 every month plus tax');
});

test('the portal shows what a subscription costs in the form of its customer, and other plans too', async () => {
  const shop = await createTaxedShop({ prices_include_tax: false });
  await createFee(app, shop.merchant, shop.item.id, { amount: '96.00', description: 'Yearly', period: 'year' });
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  const walker = await signedInAt(app, shop);
  const own = `/portal/${shop.merchant.uuid}/subscriptions/${body.subscription_id}`;
  const text = words((await walker.open(own)).text);
  expect(text).toContain('€11.90 every month');
  expect(text).not.toContain('plus tax');
  expect(words((await walker.open(`${own}/switch`)).text)).toContain('€114.24 every year');
  await nameSeller(app, shop, [], { shown_prices: 'without_tax' });
  expect(words((await walker.open(own)).text)).toContain('€10.00 every month plus tax');
  expect(words((await walker.open(`${own}/switch`)).text)).toContain('€96.00 every year plus tax');
});

test.each([
  [
    'outside of the tax territory',
    { country: 'ES', postal_code: '35001', tax_number: 'ESB35000000' },
    /outside the tax territory/,
  ],
  ['in another member state', { country: 'AT', tax_number: 'ATU13585627' }, /reverse charge/],
])('a business %s reads why it pays no tax, at the checkout and beside its receipts', async (_where, details, told) => {
  const shop = await createTaxedShop({});
  expect((await call(app, 'PUT', '/v2/accounts/billing-details', { ...details }, shop.consumer)).status).toBe(200);
  const walker = await signedInAt(app, shop);
  expect((await walker.open(pathOf(shop))).text).toMatch(told);
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  expect((await walker.open(`/portal/${shop.merchant.uuid}/receipts`)).text).toMatch(told);
});

describeInBrowser('in a browser', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  test('the form of the price follows the visitor, and then the address', async () => {
    const shop = await createTaxedShop({ prices_include_tax: false });
    const visitor = await chromium.newVisitor();
    const { page } = visitor;
    await page.setExtraHTTPHeaders(canada);
    await page.goto(paywallOf(app, shop));
    await page.getByText('every month plus tax').waitFor();
    await page.setExtraHTTPHeaders(germany);
    await page.reload();
    await page.getByText('€11.90').first().waitFor();
    expect(await page.getByText('plus tax').count()).toBe(0);
    expect(await faultsOf(visitor, 'shown-prices-with-tax')).toEqual([]);
    await registerAt(page);
    await heading(page, 'Checkout').waitFor();
    await page.getByText('Includes €1.90 tax (19%)').waitFor();
    if (!(await page.locator('#field-billing_country').isVisible()))
      await page.locator('details summary').first().click();
    await page.locator('#field-billing_country').selectOption('CA');
    await page.locator('#field-billing_region').selectOption('CA-ON');
    await page.locator('button[value=billing]').click();
    await page.getByRole('button', { name: 'Pay €11.30' }).waitFor();
    expect(await page.getByText('every month plus tax').count()).toBeGreaterThan(0);
    expect(await faultsOf(visitor, 'shown-prices-without-tax')).toEqual([]);
    await visitor.context.close();
  });
});
