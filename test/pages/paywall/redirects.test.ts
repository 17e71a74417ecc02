import { call } from '../../support/client';
import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { createItem, createFee, type Shop } from '../../support/factories';
import {
  contentOf,
  createBrandedMerchant,
  heading,
  pay,
  paywallOf,
  registerAt,
  showPictures,
} from '../../support/paywall';
import { pathOf, signedInAt } from '../../support/checkout';
import { createRedirectShop, offerRedirects } from '../../support/redirects';

import { startApp, type TestApp } from '../../support/startApp';

/** iDEAL, Bancontact and PayPal in the paywall: the other page has a window of its own, and the page goes on by itself. */

let app: TestApp;
let chromium: Chromium;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

const ppv = { access_type: 'ppv', quantity: 2, period: 'day', amount: '4.50', description: 'Weekend pass' };

describeInBrowser('the pages of banks', () => {
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  const look = async (name: string) => expect([name, await faultsOf(visitor, name)]).toEqual([name, []]);

  async function openCheckout(options: { language?: 'ar' } = {}) {
    const merchant = await createBrandedMerchant(app);
    await offerRedirects(app, { merchant });
    const item = await createItem(app, merchant, {
      title: 'Cup final',
      content: '<p id="played">3:2 after extra time</p>',
    });
    const fee = await createFee(app, merchant, item.id, ppv);
    visitor = await chromium.newVisitor(options);
    await showPictures(visitor.page);
    await visitor.page.goto(paywallOf(app, { merchant, item }));
    await registerAt(visitor.page, options.language);
    return { merchant, item, fee, page: visitor.page };
  }

  /** The window that the link opens. */
  async function openBank(label: string) {
    const link = visitor.page.getByRole('link', { name: label });
    await link.waitFor();
    const bank = await visitor.context.newPage();
    const address = (await link.getAttribute('href')) ?? '';
    await bank.goto(address.replace('http://paywall.test', app.address));
    return bank;
  }

  test('a payment is cancelled, begun again, left, and paid', async () => {
    const { page } = await openCheckout();
    await heading(page, 'Checkout').waitFor();
    await page.locator('#field-number').waitFor();
    await look('redirect-checkout');
    await page.getByText('iDEAL').click();
    await page.locator('#field-number').waitFor({ state: 'hidden' });
    await look('redirect-ideal');
    await pay(page);
    await heading(page, 'Pay with iDEAL').waitFor();
    await look('redirect-bank');
    const first = await openBank('Continue to iDEAL');
    await first.getByRole('heading', { name: 'Pay with iDEAL' }).waitFor();
    await first.getByRole('button', { name: 'Cancel the payment' }).click();
    await page.getByText('The payment was canceled on the page of the bank.').first().waitFor();
    expect(await page.locator('input[name=card][value=ideal]').isChecked()).toBe(true);
    await look('redirect-cancelled');
    await pay(page);
    const left = await openBank('Continue to iDEAL');
    await left.close();
    const second = await openBank('Continue to iDEAL');
    await second.getByRole('button', { name: 'Pay', exact: true }).click();
    await contentOf(visitor).getByText('3:2 after extra time').waitFor();
  });

  test('in Arabic, by Bancontact', async () => {
    const { page } = await openCheckout({ language: 'ar' });
    await page.getByText('Bancontact').click();
    await look('redirect-ar');
    await pay(page);
    await heading(page, 'الدفع عبر Bancontact').waitFor();
    await look('redirect-bank-ar');
    const bank = await openBank('المتابعة إلى Bancontact');
    await bank.locator('button[value=refused]').click();
    await page.getByText('أُلغيت الدفعة في صفحة مصرفك. لم يُخصم شيء.').first().waitFor();
  });

  test('by PayPal: cancelled there, and paid', async () => {
    const { page } = await openCheckout();
    await page.getByText('PayPal').click();
    await look('redirect-paypal');
    await pay(page);
    await heading(page, 'Pay with PayPal').waitFor();
    await look('redirect-paypal-waits');
    const first = await openBank('Continue to PayPal');
    await first.getByText('This page simulates the page of PayPal').waitFor();
    await first.getByRole('button', { name: 'Cancel the payment' }).click();
    await page.getByText('The payment was canceled on the page of PayPal.').first().waitFor();
    await pay(page);
    const second = await openBank('Continue to PayPal');
    await second.getByRole('button', { name: 'Pay', exact: true }).click();
    await contentOf(visitor).getByText('3:2 after extra time').waitFor();
  });

  test('in Arabic, by PayPal', async () => {
    const { page } = await openCheckout({ language: 'ar' });
    await page.getByText('PayPal').click();
    await pay(page);
    await heading(page, 'الدفع عبر PayPal').waitFor();
    await look('redirect-paypal-ar');
    const there = await openBank('المتابعة إلى PayPal');
    await there.locator('button[value=refused]').click();
    await page.getByText('أُلغيت الدفعة في صفحة PayPal. لم يُخصم شيء.').first().waitFor();
  });
});

describe('the choice', () => {
  const textOf = async (shop: Shop) => (await (await signedInAt(app, shop)).open(pathOf(shop))).text;

  test('200: without an enabled method, the checkout has the fields of a card alone', async () => {
    const shop = await createRedirectShop(app, 'payment', { currency: 'USD' });
    const text = await textOf(shop);
    expect(text).toContain('name="number"');
    expect(text).not.toContain('value="ideal"');
  });

  test('200: without cards, the checkout has the pages of banks alone', async () => {
    const shop = await createRedirectShop(app, 'payment');
    await call(app, 'PUT', '/accounts/settings', { payment_methods: ['bancontact'] }, shop.merchant);
    const text = await textOf(shop);
    expect(text).not.toContain('name="number"');
    expect(text).not.toContain('value="ideal"');
    expect(text).toContain('value="bancontact"');
  });

  test('200: a choice that is not offered any more pays nothing, and the checkout says so', async () => {
    const shop = await createRedirectShop(app, 'payment', { currency: 'USD' });
    const walker = await signedInAt(app, shop);
    const fields = { fee: String(shop.fee.id), card: 'ideal', do: 'pay' };
    const { status, text } = await walker.submit(`${pathOf(shop)}/pay`, fields);
    expect(status).toBe(422);
    expect(text).toContain('name="number"');
  });

  test('200: without scripts, the form names the method and the page follows the purchase', async () => {
    const shop = await createRedirectShop(app, 'payment');
    const walker = await signedInAt(app, shop);
    const { text } = await walker.submit(`${pathOf(shop)}/pay`, { fee: String(shop.fee.id), card: 'ideal', do: 'pay' });
    expect(text).toContain('by=ideal');
    const { rows } = await app.pool.query<{ token: string }>('SELECT token FROM payments WHERE merchant_id = $1', [
      shop.merchant.id,
    ]);
    expect(rows).toHaveLength(1);
  });
});
