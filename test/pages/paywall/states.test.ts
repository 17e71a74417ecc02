import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Page } from 'playwright-core';
import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { call } from '../../support/client';
import { cards, createFee, createItem, password, type Person } from '../../support/factories';
import { receives } from '../../support/mailbox';
import { contentOf, createBrandedMerchant, pay, paywallOf, showPictures, typeCard } from '../../support/paywall';
import { addresses } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';
import { createVoucher } from '../../support/vouchers';

/** Each state of the paywall in a left-to-right and a right-to-left language. */

let app: TestApp;
beforeAll(async () => {
  const provider = { name: 'facebook', client_id: 'x', client_secret: 'x' };
  app = await startApp({ TRUSTED_PROXIES: 'loopback', SOCIAL_PROVIDERS: JSON.stringify([provider]) });
  await app.startWorker();
});
afterAll(() => app.stop());

const asksAge = (merchant: Person, type: 'basic' | 'pin_code') => {
  const settings = { age_verification_enabled: 'true', age_verification_type: type };
  return call(app, 'PATCH', '/restrictions/settings', { ...settings, merchant_uuid: merchant.uuid }, merchant);
};

async function openShop(fields: Record<string, unknown> = {}, fee: Record<string, unknown> = {}) {
  const merchant = await createBrandedMerchant(app);
  const item = await createItem(app, merchant, { content: '<p id="played">3:2 after extra time</p>', ...fields });
  await createFee(app, merchant, item.id, fee);
  return { merchant, item, email: `buyer-${item.id}@example.org` };
}

test('every message to the page around the frame is documented, and every documented one is sent', () => {
  const root = path.join(__dirname, '../../..');
  const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8');
  const sources = ['src/pages/paywall', 'src/pages/browser'].flatMap((folder) =>
    readdirSync(path.join(root, folder))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  );
  const named = (file: string) => [...textOf(file).matchAll(/type: '(paywall\.\w+)'/g)].map(([, type]) => type);
  const pending = (file: string) =>
    [...textOf(file).matchAll(/pendingStage\(paywall, submitted, '(\w+)'/g)].map(([, step]) => `paywall.${step}`);
  const sent = [...sources.flatMap(named), ...sources.flatMap(pending)];
  const documented = [...textOf('docs/embedding.md').matchAll(/^\| `(paywall\.\w+)` \|/gm)].map(([, type]) => type);
  expect([...new Set(sent)].sort()).toEqual(documented.sort());
});

describeInBrowser('the states of the paywall', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterEach(() => visitor.context.close());
  afterAll(() => chromium.close());

  const look = async (name: string) => expect([name, await faultsOf(visitor, name)]).toEqual([name, []]);

  async function visit(shop: Parameters<typeof paywallOf>[1], language: string, from?: string): Promise<Page> {
    visitor = await chromium.newVisitor({ language });
    if (from !== undefined) await visitor.context.setExtraHTTPHeaders({ 'X-Forwarded-For': from });
    await showPictures(visitor.page);
    await visitor.page.goto(paywallOf(app, shop));
    return visitor.page;
  }

  async function register(page: Page, email: string): Promise<void> {
    await page.locator('#paywall .button.main').click();
    await page.locator('#field-full_name').fill('Ana Petrova');
    await page.locator('#field-username').fill(email);
    await page.locator('#field-password').fill(password);
  }
  const send = (page: Page) => page.locator('form[name=register] button[type=submit]').click();

  test('prices are those of the visitor’s country, each in its currency', async () => {
    const shop = await openShop();
    const local = { amount: '450', currency: 'MKD', country_iso: 'MK', restriction_type: 'whitelist' };
    await createFee(app, shop.merchant, shop.item.id, { ...local, description: 'Local pass' });
    const american = await visit(shop, 'en-GB', addresses.america);
    await american.getByText('€9.99 every month').waitFor();
    expect(await american.getByText('Local pass').count()).toBe(0);
    await visitor.context.close();
    const own = await visit(shop, 'en-GB', addresses.macedonia);
    await own.getByText('Local pass').waitFor();
    await own.getByText(/MKD\s450\.00 every month/).waitFor();
    await look('offer-local');
  });

  test.each(['en-GB', 'ar'])(
    '%s: registering asks the merchant’s fields, the date of birth and offers other services',
    async (language) => {
      const shop = await openShop();
      const fields = [
        { name: 'team', label: 'Your team', type: 'select', required: 'true', options: { red: 'Red', blue: 'Blue' } },
        { name: 'home', label: 'Country', type: 'country', required: 'false' },
        { name: 'news', label: 'Send me news', type: 'checkbox', required: 'false' },
      ];
      for (const field of fields) await call(app, 'POST', '/accounts/register-field', field, shop.merchant);
      await asksAge(shop.merchant, 'basic');
      const redirect = `http://paywall.test/paywall/${shop.merchant.uuid}/${shop.item.id}`;
      const statement = 'UPDATE oauth_apps SET redirect_uris = $2 WHERE client_id = $1';
      await app.pool.query(statement, [shop.merchant.uuid, [redirect]]);
      const page = await visit(shop, language);
      await register(page, shop.email);
      await page.getByRole('link', { name: 'Facebook' }).waitFor();
      await look(`register-fields-${language}`);
      await page.getByLabel('Your team').selectOption('blue');
      await page.getByLabel('Country').selectOption('MK');
      await page.getByLabel('Send me news').check();
      await page.locator('#field-date_of_birth').fill('1990-05-01');
      await send(page);
      await page.locator('form[name=checkout]').waitFor();
    },
  );

  test('a right pin opens the content without a reload', async () => {
    const shop = await openShop({ access_control_type_id: 3 });
    await asksAge(shop.merchant, 'pin_code');
    const page = await visit(shop, 'en-GB');
    await page.evaluate('window.stillHere = true');
    await register(page, shop.email);
    await page.locator('#field-date_of_birth').fill('1990-05-01');
    await send(page);
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.locator('#field-pin_code').waitFor();
    await look('pin-sent');
    const { text = '' } = await receives(app, shop.merchant, shop.email, 'pin_code');
    await page.locator('#field-pin_code').fill(/\b\d{6}\b/.exec(text)?.[0] ?? '');
    await page.getByRole('button', { name: 'Continue' }).click();
    await contentOf(visitor).getByText('3:2 after extra time').waitFor();
    expect(await page.evaluate('window.stillHere')).toBe(true);
  });

  test('in Arabic, from a forgotten password to the content: voucher, declined card, bank', async () => {
    const shop = await openShop();
    await createVoucher(app, shop.merchant, { code: 'FANS20', discount: 20 });
    const page = await visit(shop, 'ar');
    await page.locator('a', { hasText: 'تسجيل الدخول' }).click();
    await page.locator('form[name=sign-in]').waitFor();
    await look('sign-in-ar');
    await page.locator('a', { hasText: 'هل نسيت كلمة المرور؟' }).click();
    await page.locator('#field-email').fill('nobody@example.org');
    await page.locator('form[name=forgotten] button[type=submit]').click();
    await page.getByText('فقد أرسلنا إليه رابطًا').waitFor();
    await look('forgotten-sent-ar');
    await page.goto(paywallOf(app, shop));
    await register(page, shop.email);
    await send(page);
    await page.locator('#field-voucher_code').fill('fans20');
    await page.locator('button[value=voucher]').click();
    await page.getByText('طُبقت القسيمة.').waitFor();
    await look('voucher-ar');
    await typeCard(page, cards.declined);
    await pay(page);
    await page.getByRole('alert').waitFor();
    await look('declined-ar');
    await typeCard(page, cards.needsAuthentication);
    await pay(page);
    const link = page.getByRole('link', { name: 'المتابعة إلى مصرفي' });
    await link.waitFor();
    await look('authentication-ar');
    const bank = await visitor.context.newPage();
    await bank.goto(((await link.getAttribute('href')) ?? '').replace('http://paywall.test', app.address));
    await bank.getByRole('button', { name: 'موافقة' }).click();
    await contentOf(visitor).getByText('3:2 after extra time').waitFor();
    await look('content-ar');
    await page.reload();
    await page.getByText('لديك وصول بالفعل.').waitFor();
  });

  test('in Arabic, a gift is bought; and what is not sold here says so', async () => {
    const shop = await openShop({ is_giftable: 'true' }, { access_type: 'ppv', quantity: 2, period: 'day' });
    const page = await visit(shop, 'ar');
    await register(page, shop.email);
    await send(page);
    await page.getByRole('link', { name: 'الشراء هدية' }).click();
    await page.locator('#field-receiver_email').fill('friend@example.org');
    await look('gift-ar');
    await typeCard(page, cards.success);
    await pay(page);
    await page.getByText('اشتُريت الهدية').waitFor();
    await look('gift-done-ar');
    const { hostname } = new URL(process.env['BASE_URL'] ?? '');
    await call(app, 'POST', '/restrictions/domain/blacklist', { domains: [{ domain: hostname }] }, shop.merchant);
    await page.goto(paywallOf(app, shop));
    await page.getByRole('heading', { name: 'غير متاح هنا' }).waitFor();
    await look('unavailable-ar');
  });
});
