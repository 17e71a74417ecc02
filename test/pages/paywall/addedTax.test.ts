import { type Chromium, describeInBrowser, faultsOf, photograph, startChromium } from '../../support/chromium';
import { giveCredit } from '../../support/balances';
import { createOffer } from '../../support/cancelOffers';
import { call } from '../../support/client';
import { card, pathOf, signedInAt } from '../../support/checkout';
import { cards, createFee, createShop, reaches, subscribe, type Shop } from '../../support/factories';
import { PageWalker } from '../../support/pageWalker';
import { heading, pay, paywallOf, registerAt, typeCard } from '../../support/paywall';
import { startApp, type TestApp } from '../../support/startApp';
import { atHome, nameSeller, taxedCharges } from '../../support/tax';
import { until } from '../../support/until';
import { createVoucher } from '../../support/vouchers';

/** Prices that are stored and shown without tax, at the paywall and in the portal: what is shown is what is charged. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

const monthly = { amount: '10.00', description: 'Monthly' };
const shown = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1];
const words = (text: string) => text.replaceAll(/<[^>]+>|\s+/g, ' ').replaceAll(/ +/g, ' ');

async function createNetShop(): Promise<Shop> {
  const shop = await createShop(app, monthly);
  await nameSeller(app, shop, [atHome], { prices_include_tax: false, shown_prices: 'without_tax' });
  return shop;
}

test('the price is shown plus tax, and the checkout shows the price, the tax and the total', async () => {
  const shop = await createNetShop();
  const price = words((await new PageWalker(app).open(pathOf(shop))).text);
  expect(price).toMatch(/€10\.00 every month plus tax/);
  const walker = await signedInAt(app, shop);
  const { text } = await walker.open(pathOf(shop));
  expect(words(text)).toContain('Price without tax €10.00 Tax (19%) €1.90');
  expect(words(text)).toContain('Renews automatically: €10.00 every month plus tax.');
  expect([shown(text, 'shown_amount'), text.includes('Pay €11.90')]).toEqual(['11.9', true]);
  expect(text).not.toContain('Includes');
});

test('a voucher lowers the price before the tax, and a credit lowers the total after it', async () => {
  const shop = await createNetShop();
  await createVoucher(app, shop.merchant, { code: 'HALF50', discount: 50 });
  await giveCredit(app, shop.consumer.id, 100);
  const walker = await signedInAt(app, shop);
  await walker.open(pathOf(shop));
  const fields = { fee: String(shop.fee.id), do: 'voucher', voucher_code: 'HALF50' };
  const { text } = await walker.submit(`${pathOf(shop)}/price`, fields);
  expect(words(text)).toContain('Price without tax €5.00 Tax (19%) €0.95 Total with tax €5.95');
  expect(words(text)).toContain('Your credit of €1.00 is used for this payment.');
  expect(shown(text, 'shown_amount')).toBe('4.95');
});

test('409: an address with another tax shows the new total before the payment', async () => {
  const shop = await createNetShop();
  const canada = { country: 'CA', region: 'CA-ON', scheme: 'domestic', number: '' };
  await nameSeller(app, shop, [canada], { prices_include_tax: false });
  await call(app, 'PUT', '/v2/accounts/billing-details', { country: 'GB' }, shop.consumer);
  const walker = await signedInAt(app, shop);
  expect(shown((await walker.open(pathOf(shop))).text, 'shown_amount')).toBe('10');
  const told = { ...card, fee: String(shop.fee.id), shown_fee: String(shop.fee.id), shown_amount: '10', do: 'pay' };
  const asked = await walker.submit(`${pathOf(shop)}/pay`, { ...told, billing_country: 'CA' });
  expect([asked.status, asked.text.includes('billing_region')]).toEqual([422, true]);
  const elsewhere = { billing_country: 'CA', billing_region: 'US-CA' };
  expect((await walker.submit(`${pathOf(shop)}/pay`, { ...told, ...elsewhere })).status).toBe(422);
  const there = { billing_country: 'CA', billing_region: 'CA-ON' };
  const refused = await walker.submit(`${pathOf(shop)}/pay`, { ...told, ...there });
  expect([refused.status, shown(refused.text, 'shown_amount')]).toEqual([409, '11.3']);
  expect(words(refused.text)).toContain('Tax (13%) €1.30');
  const done = await walker.submit(`${pathOf(shop)}/pay`, { ...told, ...there, shown_amount: '11.3' });
  expect(done.text).toContain('Processing your payment');
  const charges = await until(async () => {
    const rows = await taxedCharges(app, shop.merchant);
    return rows[0]?.status === 'paid' && rows;
  });
  expect(charges).toMatchObject([{ net: 1000, tax: 130, gross: 1130, country: 'CA' }]);
});

test('422: a stored address without its province, and none', async () => {
  const shop = await createNetShop();
  await call(app, 'PUT', '/v2/accounts/billing-details', { country: 'CA' }, shop.consumer);
  const walker = await signedInAt(app, shop);
  const told = { ...card, fee: String(shop.fee.id), shown_fee: String(shop.fee.id), do: 'pay' };
  const asked = await walker.submit(`${pathOf(shop)}/pay`, told);
  expect([asked.status, asked.text.includes('billing_region')]).toEqual([422, true]);
});

test('the offer before a cancellation compares totals with tax', async () => {
  const shop = await createNetShop();
  await createOffer(app, shop.merchant, { kind: 'discount', percent: 10, charges: 1 });
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  const walker = await signedInAt(app, shop);
  const own = `/portal/${shop.merchant.uuid}/subscriptions/${body.subscription_id}`;
  await walker.open(own);
  const { text } = await walker.submit(`${own}/cancel`, { why: 'other', reason: 'We move' });
  expect(words(text)).toMatch(/€10\.71 .*€11\.90/);
});

test('the portal shows the total of the next payment, and follows a new address', async () => {
  const shop = await createNetShop();
  const { body } = await subscribe(app, shop);
  const row = await reaches(app, shop.consumer, body.subscription_id, 'active');
  expect(row).toMatchObject({ subscription_price: 10, next_amount: 11.9, tax_behavior: 'exclusive' });
  const portal = `/portal/${shop.merchant.uuid}`;
  const walker = await signedInAt(app, shop);
  expect(words((await walker.open(`${portal}/subscriptions/${body.subscription_id}`)).text)).toContain('for €11.90');
  await call(app, 'PUT', '/v2/accounts/billing-details', { country: 'AT', tax_number: 'ATU13585627' }, shop.consumer);
  expect(words((await walker.open(`${portal}/subscriptions/${body.subscription_id}`)).text)).toContain('for €10.00');
});

describeInBrowser('in a browser', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  test('the total follows the address, and is charged', async () => {
    const shop = await createNetShop();
    await nameSeller(app, shop, [atHome, { country: 'CA', region: 'CA-ON', scheme: 'domestic' }], {
      prices_include_tax: false,
    });
    await createFee(app, shop.merchant, shop.item.id, { amount: '96.00', description: 'Yearly', period: 'year' });
    const visitor = await chromium.newVisitor();
    const { page } = visitor;
    await page.goto(paywallOf(app, shop));
    await photograph(page, 'added-tax-prices');
    await registerAt(page);
    await heading(page, 'Checkout').waitFor();
    await page.locator('#field-billing_country').selectOption('DE');
    await page.locator('button[value=billing]').click();
    await page.getByRole('button', { name: 'Pay €11.90' }).waitFor();
    expect(await faultsOf(visitor, 'added-tax-checkout')).toEqual([]);
    if (!(await page.locator('#field-billing_country').isVisible()))
      await page.locator('details summary').first().click();
    await page.locator('#field-billing_country').selectOption('CA');
    await page.locator('#field-billing_region').selectOption('CA-ON');
    await page.locator('button[value=billing]').click();
    await page.getByRole('button', { name: 'Pay €11.30' }).waitFor();
    expect(await faultsOf(visitor, 'added-tax-region')).toEqual([]);
    await typeCard(page, cards.success);
    await pay(page);
    await until(async () => (await taxedCharges(app, shop.merchant)).some(({ status }) => status === 'paid'));
    expect(await taxedCharges(app, shop.merchant)).toMatchObject([
      { net: 1000, tax: 130, gross: 1130, status: 'paid' },
    ]);
    await visitor.context.close();
  });
});
