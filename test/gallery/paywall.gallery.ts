import { call } from '../support/client';
import { createCode } from '../support/access';
import { describeInBrowser } from '../support/chromium';
import { cards, createConsumer, createFee, createItem, password, type Person } from '../support/factories';
import { createBrandedMerchant, pay, typeCard } from '../support/paywall';
import { switchFactorOn } from '../support/secondFactors';
import { startApp, type TestApp } from '../support/startApp';
import { createVoucher } from '../support/vouchers';
import { languagesOf, type Photographer, startPhotographer } from './photographer';
import { brand, createLayouts, createMagazine, type Magazine, metadata } from './scene';

/** `npm run screenshots`: the paywall from the offer to the content, with all that can come between. */

let app: TestApp;
let photographer: Photographer;
let magazine: Magazine;
let layouts: readonly Magazine[];

const addressOf = ({ merchant, itemId }: Magazine) => `${app.address}/paywall/${merchant.uuid}/${itemId}`;
const sell = async (merchant: Person, fields: Record<string, unknown>, fee?: Record<string, unknown>) => {
  const item = await createItem(app, merchant, { title: 'The Paywall Weekly', metadata, ...fields });
  if (fee) await createFee(app, merchant, item.id, fee);
  return { merchant, item, itemId: item.id };
};
const pass = { access_type: 'ppv', quantity: 2, period: 'day', amount: '4.50', description: 'Weekend pass' };

describeInBrowser('the paywall', () => {
  beforeAll(async () => {
    app = await startApp({ TRUSTED_PROXIES: 'loopback' });
    await app.startWorker();
    magazine = await createMagazine(app);
    await createVoucher(app, magazine.merchant, { code: 'READER20', discount: 20 });
    layouts = await createLayouts(app);
    photographer = await startPhotographer();
  });
  afterAll(async () => {
    await photographer.close();
    await app.stop();
  });

  describe.each(languagesOf('customers'))('%s', (language) => {
    const visit: Photographer['visit'] = (_language, take) => photographer.visit(language, take);

    test('from the offer to the content', () =>
      visit(language, async (page, keep) => {
        await page.goto(addressOf(magazine));
        await keep('paywall-offer');
        const languages = page.locator('.languages summary');
        await languages.click();
        await keep('paywall-languages');
        await languages.click();
        await page.locator('a.choice').last().click();
        await page.locator('form[name=register]').waitFor();
        await keep('paywall-register');
        await page.locator('form[name=register] button[type=submit]').click();
        await page.getByRole('alert').waitFor();
        await keep('paywall-register-refused');
        await page.locator('#field-full_name').fill('Ana Petrova');
        await page.locator('#field-username').fill(`ana-${Date.now()}@example.org`);
        await page.locator('#field-password').fill(password);
        await page.locator('form[name=register] button[type=submit]').click();
        await page.locator('form[name=checkout]').waitFor();
        await keep('paywall-checkout');
        await page.locator('#field-voucher_code').fill('reader20');
        await page.locator('button[value=voucher]').click();
        await page.locator('form[name=checkout] s').waitFor();
        await keep('paywall-voucher');
        await pay(page);
        await page.getByRole('alert').waitFor();
        await keep('paywall-errors');
        await page.reload();
        await page.getByRole('alert').waitFor({ state: 'detached' });
        await typeCard(page, cards.declined);
        await pay(page);
        await page.getByRole('alert').waitFor();
        await keep('paywall-declined');
        await typeCard(page, cards.needsAuthentication);
        await pay(page);
        const link = page.locator('a[href*="/sandbox/authenticate/"]');
        await link.waitFor();
        await keep('paywall-waiting');
        const bank = await page.context().newPage();
        await bank.goto(((await link.getAttribute('href')) ?? '').replace('http://paywall.test', app.address));
        await bank.locator('button[value=approved]').click();
        await page.locator('iframe.content-frame').waitFor();
        await keep('paywall-content');
      }));

    test('the layouts', () =>
      visit(language, async (page, keep) => {
        for (const [index, layout] of layouts.entries()) {
          await page.goto(addressOf(layout));
          await keep(`layout-${index + 1}`);
        }
      }));

    test('ways to sign in', () =>
      visit(language, async (page, keep) => {
        const reader = await createConsumer(app, magazine.merchant);
        await switchFactorOn(app, reader);
        for (const step of ['sign-in', 'forgotten', 'sign-in-link']) {
          await page.goto(`${addressOf(magazine)}?step=${step}`);
          await keep(`paywall-${step}`);
        }
        await page.locator('#field-email').fill('somebody@example.org');
        await page.locator('form[name=sign-in-link] button[type=submit]').click();
        await page.locator('form[name=sign-in-link]').waitFor({ state: 'detached' });
        await keep('paywall-link-sent');
        await page.goto(`${addressOf(magazine)}?step=sign-in`);
        await page.locator('#field-username').fill(reader.email);
        await page.locator('#field-password').fill(password);
        await page.locator('form[name=sign-in] button[type=submit]').click();
        await page.locator('form[name=second-factor]').waitFor();
        await keep('paywall-second-factor');
      }));

    const signIn = async (page: Parameters<typeof pay>[0], sold: Magazine) => {
      const reader = await createConsumer(app, sold.merchant);
      await page.goto(`${addressOf(sold)}?step=sign-in`);
      await page.locator('#field-username').fill(reader.email);
      await page.locator('#field-password').fill(password);
      await page.locator('form[name=sign-in] button[type=submit]').click();
      await page.locator('form[name=sign-in]').waitFor({ state: 'detached' });
    };

    test('a gift, a changed price, and a free item', () =>
      visit(language, async (page, keep) => {
        const merchant = await createBrandedMerchant(app, brand);
        const given = await sell(merchant, { is_giftable: 'true' }, pass);
        await signIn(page, given);
        await page.locator('a[href*="gift"]').first().click();
        await page.locator('#field-receiver_email').fill('friend@example.org');
        await keep('paywall-gift');
        await typeCard(page, cards.success);
        await pay(page);
        await page.locator('form[name=checkout]').waitFor({ state: 'detached' });
        await page.locator('#paywall [aria-busy=true], [data-listen]').waitFor({ state: 'detached' });
        await keep('paywall-gift-bought');
        await page.goto(addressOf(given));
        await page.locator('form[name=checkout]').waitFor();
        await app.pool.query('UPDATE access_fees SET amount_minor = amount_minor + 50 WHERE item_id = $1', [
          given.itemId,
        ]);
        // The card of the gift is saved, and it is chosen.
        await pay(page);
        await page.getByRole('alert').waitFor();
        await keep('paywall-price-changed');
        await page.goto(addressOf(await sell(merchant, { access_control_type_id: 3 })));
        await keep('paywall-free');
      }));

    test('what stands before the offer: a code, an address, an age, a place', () =>
      visit(language, async (page, keep) => {
        const merchant = await createBrandedMerchant(app, brand);
        const coded = await sell(merchant, { access_control_type_id: 2 });
        await createCode(app, coded);
        await page.goto(addressOf(coded));
        await keep('paywall-code');
        await page.goto(addressOf(await sell(merchant, { access_control_type_id: 4 })));
        await keep('paywall-capture');
        await page.goto(addressOf(await sell(merchant, {})));
        await keep('paywall-not-for-sale');
        const sold = await sell(merchant, {}, pass);
        await call(app, 'POST', `/restrictions/age/item/${sold.itemId}`, { min_age: 18 }, merchant);
        await signIn(page, sold);
        await page.goto(addressOf(sold));
        await page.locator('#field-date_of_birth').waitFor();
        await keep('paywall-age');
        const pin = { age_verification_enabled: 'true', age_verification_type: 'pin_code' };
        await call(app, 'PATCH', '/restrictions/settings', { ...pin, merchant_uuid: merchant.uuid }, merchant);
        await app.pool.query(`UPDATE accounts SET date_of_birth = '1990-05-01' WHERE merchant_id = $1`, [merchant.id]);
        await page.goto(addressOf(await sell(merchant, { access_control_type_id: 3 })));
        await page.locator('form[name=pin-mail]').waitFor();
        await keep('paywall-pin');
        const { hostname } = new URL(process.env['BASE_URL'] ?? '');
        await call(app, 'POST', '/restrictions/domain/blacklist', { domains: [{ domain: hostname }] }, merchant);
        await page.goto(addressOf(sold));
        await keep('paywall-unavailable');
      }));
  });
});
