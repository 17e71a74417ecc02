import ar from '../../../src/pages/locales/ar.json';
import en from '../../../src/pages/locales/en.json';
import { call } from '../../support/client';
import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { cards, createFee, createItem, type Shop } from '../../support/factories';
import {
  contentOf,
  createBrandedMerchant,
  heading,
  pay,
  paywallOf,
  registerAt,
  showPictures,
  typeCard,
} from '../../support/paywall';
import { createVoucher } from '../../support/vouchers';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let chromium: Chromium;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

async function openShop(fields: Record<string, unknown> = {}, fee: Record<string, unknown> = {}) {
  const merchant = await createBrandedMerchant(app);
  const content =
    '<h1>The final</h1><p id="played">3:2 after extra time</p><script>document.title = "ran"; document.body.dataset.cookies = (() => { try { return document.cookie; } catch { return "none"; } })();</script>';
  const metadata = { preview_title: 'Cup final 2026', preview_description: 'The whole match, with both commentaries.' };
  const item = await createItem(app, merchant, { title: 'Cup final', content, metadata, ...fields });
  return { merchant, item, fee: await createFee(app, merchant, item.id, fee) };
}

/** Holds the provider's answer to the next charge until the returned function is called. */
async function holdNextCharge(): Promise<() => void> {
  const { cardProvider } = await import('../../../src/adapters/cardProviders/index.js');
  const charge = cardProvider.charge.bind(cardProvider);
  let letGo = (): void => undefined;
  const isFree = new Promise<void>((resolve) => (letGo = resolve));
  cardProvider.charge = async (request) => {
    cardProvider.charge = charge;
    const outcome = await charge(request);
    await isFree;
    return outcome;
  };
  return letGo;
}

describeInBrowser('the paywall in a browser', () => {
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  async function visit(shop: Pick<Shop, 'merchant' | 'item'>, options = {}): Promise<Visitor> {
    visitor = await chromium.newVisitor(options);
    await showPictures(visitor.page);
    await visitor.page.goto(paywallOf(app, shop));
    return visitor;
  }

  afterEach(() => visitor.context.close());

  /** Every step is accessible (axe), fits a phone, and breaks no rule of the page's policy. */
  const look = async (name: string) => expect([name, await faultsOf(visitor, name)]).toEqual([name, []]);

  test('from the first visit to the playing content, without a reload', async () => {
    const shop = await openShop();
    await createFee(app, shop.merchant, shop.item.id, {
      access_type: 'ppv',
      quantity: 2,
      period: 'day',
      amount: '4.50',
      description: 'Weekend pass',
    });
    await createVoucher(app, shop.merchant, { code: 'FANS20', discount: 20 });
    const { page } = await visit(shop);
    await page.evaluate('window.stillHere = true');
    await heading(page, 'Cup final 2026').waitFor();
    await look('offer');
    await page.getByRole('link', { name: 'Get access' }).click();
    await heading(page, 'Create your account').waitFor();
    await look('register');
    await page.locator('form[name=register] button[type=submit]').click();
    await page.getByRole('alert').waitFor();
    expect(await page.locator('#field-username').getAttribute('aria-invalid')).toBe('true');
    await look('register-refused');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await heading(page, 'Sign in').waitFor();
    await look('sign-in');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.locator('#field-email').waitFor();
    await look('forgotten');
    await page.locator('#field-email').fill('nobody@example.org');
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText('we have sent it a link').waitFor();
    await look('forgotten-sent');
    await page.goto(paywallOf(app, shop));
    await page.evaluate('window.stillHere = true');
    await registerAt(page);
    await heading(page, 'Checkout').waitFor();
    await look('checkout');
    await page.locator('#field-voucher_code').fill('NOPE');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('This voucher is not valid. Check the code and try again.').first().waitFor();
    await look('voucher-refused');
    await page.locator('#field-voucher_code').fill('fans20');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('€7.99').first().waitFor();
    await look('voucher');
    await typeCard(page, cards.success);
    await pay(page);
    await page.getByText('Thank you. You now have access.').waitFor();
    await contentOf(visitor).getByText('3:2 after extra time').waitFor();
    // The script of the content may run shortly after its text is visible.
    await contentOf(visitor).locator('body[data-cookies=none]').waitFor();
    expect(await page.evaluate('window.stillHere')).toBe(true);
    await look('content');
    await page.reload();
    await page.getByText('You already have access.').waitFor();
    await look('already');
  });

  test('a declined card says why, keeps what was chosen, and another card pays', async () => {
    const shop = await openShop();
    await createVoucher(app, shop.merchant, { code: 'FANS20', discount: 20 });
    const { page } = await visit(shop);
    await registerAt(page);
    await page.locator('#field-voucher_code').fill('fans20');
    await typeCard(page, cards.declined);
    await pay(page);
    await page.getByRole('alert').waitFor();
    await look('declined');
    expect(await page.locator('#field-number').inputValue()).toBe('');
    expect(await page.locator('#field-voucher_code').inputValue()).toBe('fans20');
    await typeCard(page, cards.success);
    await pay(page);
    await contentOf(visitor).getByText('3:2 after extra time').waitFor();
  });

  test('without scripts, the page after the payment loads again until the content is there', async () => {
    const { page } = await visit(await openShop(), { hasScripts: false });
    await registerAt(page);
    await typeCard(page, cards.slow);
    const letGo = await holdNextCharge();
    await pay(page);
    await page.getByRole('heading', { name: 'Processing your payment' }).waitFor();
    letGo();
    await page.locator('iframe.content-frame').waitFor();
  });

  test('a declined card says why in the visitor’s language', async () => {
    const { page } = await visit(await openShop(), { language: 'ar' });
    await registerAt(page, 'ar');
    await typeCard(page, cards.insufficientFunds);
    await pay(page);
    await page.getByRole('alert').getByText('رصيد بطاقتك غير كافٍ.').waitFor();
  });

  test('the bank asks in a window of its own, and the page goes on by itself', async () => {
    const shop = await openShop();
    const { page, context } = await visit(shop);
    await registerAt(page);
    await typeCard(page, cards.needsAuthentication);
    await pay(page);
    const link = page.getByRole('link', { name: 'Continue to my bank' });
    await link.waitFor();
    await look('authentication');
    const bank = await context.newPage();
    const address = (await link.getAttribute('href')) ?? '';
    await bank.goto(address.replace('http://paywall.test', app.address));
    await bank.getByRole('button', { name: 'Approve' }).click();
    await contentOf(visitor).getByText('3:2 after extra time').waitFor();
  });

  test.each([
    ['en', en.paywall],
    ['ar', ar.paywall],
  ] as const)('%s: a gift is bought for somebody, who enters its code and pays nothing', async (language, texts) => {
    const ppv = { access_type: 'ppv', quantity: 2, period: 'day', description: 'Weekend pass' };
    const shop = await openShop({ is_giftable: 'true', gift_metadata: { description: 'A match for a friend' } }, ppv);
    const receiver = `friend-${shop.item.id}@example.org`;
    const { page } = await visit(shop, { language });
    await registerAt(page, language);
    await page.getByRole('link', { name: texts.buyGift }).click();
    await heading(page, texts.giftTitle).waitFor();
    await look(`gift-${language}`);
    await page.locator('#field-receiver_email').fill(receiver);
    await typeCard(page, cards.success);
    await pay(page);
    await heading(page, texts.giftDone).waitFor();
    await look(`gift-done-${language}`);
    const { body } = await call<{ collection: { gift_voucher: { code: string } }[] }>(
      app,
      'GET',
      '/vouchers/gifts',
      undefined,
      shop.merchant,
    );
    const code = body.collection[0]?.gift_voucher.code ?? '';
    await visitor.context.close();
    const friend = await visit(shop, { language });
    await registerAt(friend.page, language, receiver);
    await friend.page.locator('#field-voucher_code').fill(code);
    await friend.page.getByRole('button', { name: texts.applyVoucher }).click();
    await friend.page.getByRole('button', { name: texts.getForFree }).waitFor();
    await look(`gift-redeemed-${language}`);
    await pay(friend.page);
    await contentOf(friend).getByText('3:2 after extra time').waitFor();
    await look(`gift-content-${language}`);
  });

  test('in Arabic it reads from the right', async () => {
    const shop = await openShop();
    const { page } = await visit(shop, { language: 'ar' });
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
    await look('offer-ar');
    await registerAt(page, 'ar');
    await heading(page, 'الدفع').waitFor();
    await look('checkout-ar');
  });

  test.each([
    ['en', en],
    ['ar', ar],
  ] as const)('%s: a pin is asked for before anything is shown', async (language, { common, errors, paywall }) => {
    const shop = await openShop({ access_control_type_id: 3 });
    await call(
      app,
      'PATCH',
      '/restrictions/settings',
      { age_verification_enabled: 'true', age_verification_type: 'pin_code', merchant_uuid: shop.merchant.uuid },
      shop.merchant,
    );
    const { page } = await visit(shop, { language });
    await page.getByRole('link', { name: paywall.register }).click();
    await page.locator('#field-date_of_birth').waitFor();
    await look(`register-age-${language}`);
    await page.locator('#field-full_name').fill('Ana');
    await page.locator('#field-username').fill(`pin-${shop.item.id}@example.org`);
    await page.locator('#field-password').fill('correct-horse-battery');
    await page.locator('#field-date_of_birth').fill('1990-05-01');
    await page.locator('form[name=register] button[type=submit]').click();
    await page.getByRole('button', { name: paywall.pinSend }).waitFor();
    await look(`pin-${language}`);
    await page.getByRole('button', { name: paywall.pinSend }).click();
    await page.locator('#field-pin_code').fill('000000');
    await page.getByRole('button', { name: common.continue }).click();
    await page.getByText(errors.pin_code_invalid).first().waitFor();
    await look(`pin-refused-${language}`);
  });

  test('what is not sold here says so', async () => {
    const shop = await openShop();
    const { hostname } = new URL(process.env['BASE_URL'] ?? '');
    await call(app, 'POST', '/restrictions/domain/blacklist', { domains: [{ domain: hostname }] }, shop.merchant);
    const { page } = await visit(shop);
    await heading(page, 'Not available here').waitFor();
    await look('unavailable');
  });
});
