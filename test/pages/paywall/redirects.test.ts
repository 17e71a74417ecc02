import ar from '../../../src/pages/locales/ar.json';
import en from '../../../src/pages/locales/en.json';
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

  async function openCheckout(language: 'en' | 'ar') {
    const merchant = await createBrandedMerchant(app);
    await offerRedirects(app, { merchant });
    const item = await createItem(app, merchant, {
      title: 'Cup final',
      content: '<p id="played">3:2 after extra time</p>',
    });
    const fee = await createFee(app, merchant, item.id, ppv);
    visitor = await chromium.newVisitor({ language: language === 'en' ? 'en-GB' : 'ar' });
    await showPictures(visitor.page);
    await visitor.page.goto(paywallOf(app, { merchant, item }));
    await registerAt(visitor.page, language);
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

  describe.each(['en', 'ar'] as const)('%s', (language) => {
    const { bank, paywall } = { en, ar }[language];

    test.each([
      ['ideal', 'iDEAL', paywall.payAtBankNot],
      ['bancontact', 'Bancontact', paywall.payAtBankNot],
      ['paypal', 'PayPal', paywall.payAtPaypalNot],
    ])('a payment by %s is cancelled, begun again, left, and paid', async (method, title, translated) => {
      // In English the page has the words of the service.
      const cancelled = language === 'en' ? 'The payment was canceled on the page of' : translated;
      const { page } = await openCheckout(language);
      await page.locator('#field-number').waitFor();
      await page.locator(`input[name=card][value=${method}]`).check();
      await page.locator('#field-number').waitFor({ state: 'hidden' });
      await look(`redirect-${method}-${language}`);
      await pay(page);
      await heading(page, paywall.payAtBank.replace('{method}', title)).waitFor();
      await look(`redirect-${method}-bank-${language}`);
      const onward = paywall.goToMethod.replace('{method}', title);
      const first = await openBank(onward);
      await first.getByRole('heading', { name: bank.payTitle.replace('{method}', title) }).waitFor();
      await first.locator('button[value=refused]').click();
      await page.getByText(cancelled).first().waitFor();
      expect(await page.locator(`input[name=card][value=${method}]`).isChecked()).toBe(true);
      await look(`redirect-${method}-cancelled-${language}`);
      await pay(page);
      await (await openBank(onward)).close();
      const second = await openBank(onward);
      await second.locator('button[value=approved]').click();
      await contentOf(visitor).getByText('3:2 after extra time').waitFor();
    });
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
