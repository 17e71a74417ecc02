import ar from '../../../src/pages/locales/ar.json';
import en from '../../../src/pages/locales/en.json';
import { proveMailbox } from '../../support/portalCards';
import { call } from '../../support/client';
import {
  type Chromium,
  describeInBrowser,
  faultsOf,
  startChromium,
  type Visitor,
  untilTrue,
} from '../../support/chromium';
import { cards, createConsumer, createFee, createItem, password, reaches, subscribe } from '../../support/factories';
import { changeCardOutcome } from '../../support/scenarios';
import { failToRenew } from '../../support/testClock';
import { giveGift } from '../../support/vouchers';
import { createBrandedMerchant, showPictures, typeCard } from '../../support/paywall';
import { startApp, type TestApp } from '../../support/startApp';
import { giveByHand } from '../../support/access';

let app: TestApp;
let chromium: Chromium;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

/** A branded merchant with a customer who subscribes to one item, was given another, and gave one away. */
async function createCustomer(card: string = cards.success) {
  const merchant = await createBrandedMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const item = await createItem(app, merchant, { title: 'The match channel' });
  const fee = await createFee(app, merchant, item.id);
  const family = { amount: '19.99', description: 'Family pass' };
  await createFee(app, merchant, item.id, family);
  const shop = { merchant, consumer, item, fee };
  const { subscription_id: id } = (await subscribe(app, shop, card)).body;
  await reaches(app, consumer, id, 'active');
  const other = await createItem(app, merchant, {
    title: 'Cup final 2026, with both commentaries and the whole studio',
  });
  await giveByHand(app, { merchant, consumer, item: other });
  await giveGift(shop, 'bea.with.a.rather.long.address@friends.example.org');
  return { shop, id, portal: `${app.address}/portal/${merchant.uuid}` };
}

/** Messages that a browser logs: a refused form, and a change without an answer in time. */
const notes = /status of (?:4\d\d|503)/;

describeInBrowser('the portal in a browser', () => {
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  /** Every page is accessible (axe), fits a phone, and breaks no rule of the page's policy. */
  const look = async (name: string) => expect([name, await faultsOf(visitor, name, notes)]).toEqual([name, []]);

  async function enter(portal: string, email: string, language = 'en-GB'): Promise<Visitor> {
    visitor = await chromium.newVisitor({ language });
    const { page } = visitor;
    await showPictures(page);
    await page.goto(portal);
    await page.locator('#field-username').fill(email);
    await page.locator('#field-password').fill(password);
    await page.locator('form[name=sign-in] button').click();
    await page.locator('.portal-menu').waitFor();
    return visitor;
  }

  test('a subscription is cancelled, and the cancellation taken back', async () => {
    const { shop, portal } = await createCustomer();
    visitor = await chromium.newVisitor();
    await showPictures(visitor.page);
    await visitor.page.goto(portal);
    await look('portal-sign-in');
    await visitor.page.getByRole('link', { name: 'Forgot your password?' }).click();
    await look('portal-forgotten');
    await visitor.context.close();
    const { page } = await enter(portal, shop.consumer.email);
    await page.getByRole('heading', { name: 'Subscriptions' }).waitFor();
    await look('portal');
    await page.getByRole('link', { name: 'Manage The match channel' }).click();
    await page.getByRole('heading', { name: 'Change subscription' }).waitFor();
    await look('portal-subscription');
    await page.locator('summary', { hasText: 'Cancel subscription' }).click();
    await look('portal-cancel');
    await page.locator('form[name=cancel] button').click();
    await page.getByText('Your subscription is canceled.').waitFor();
    // The notice takes the focus a moment after it is visible.
    await untilTrue(page, `document.activeElement.textContent.trim() === 'Your subscription is canceled.'`);
    await page.getByText('Ends soon').waitFor();
    await look('portal-cancelled');
    await page.locator('summary', { hasText: 'Keep subscription' }).click();
    await page.locator('form[name=resume] button').click();
    await page.getByText('Your subscription continues.').waitFor();
    await page.getByText('Renews on').waitFor();
    await look('portal-resumed');
    await page.locator('summary', { hasText: 'Pause' }).click();
    await page.locator('#field-resumes_at').fill('2020-01-01');
    await page.locator('form[name=pause] button').click();
    await page.getByRole('alert').waitFor();
    await look('portal-pause-refused');
    await page.locator('#field-resumes_at').fill('2037-01-01');
    await page.locator('form[name=pause] button').click();
    await page.getByText('Your subscription will pause.').waitFor();
    await look('portal-paused');
  });

  test.each([
    ['en-GB', 'Create account', 'Subscriptions'],
    ['ar', 'إنشاء حساب', 'الاشتراكات'],
  ])('%s: somebody new registers with what the merchant asks for, and is in', async (language, create, inside) => {
    const merchant = await createBrandedMerchant(app);
    const team = {
      name: 'team',
      label: 'Your team',
      type: 'radio',
      required: 'true',
      options: { r: 'Red', b: 'Blue' },
    };
    await call(app, 'POST', '/accounts/register-field', team, merchant);
    visitor = await chromium.newVisitor({ language });
    const { page } = visitor;
    await showPictures(page);
    await page.goto(`${app.address}/portal/${merchant.uuid}`);
    await page.getByRole('link', { name: create }).click();
    await look(`portal-register-${language}`);
    await page.locator('form[name=register] button[type=submit]').click();
    await page.getByRole('alert').waitFor();
    await look(`portal-register-refused-${language}`);
    await page.locator('#field-full_name').fill('Bea');
    await page.locator('#field-username').fill(`bea-${merchant.id}@example.org`);
    await page.locator('#field-password').fill(password);
    await page.getByText('Blue').click();
    await page.locator('form[name=register] button[type=submit]').click();
    await page.getByRole('heading', { name: inside }).waitFor();
    await look(`portal-new-${language}`);
  });

  test('a plan is changed after what it costs was shown; receipts, card, profile and the rest are there', async () => {
    const { shop, portal } = await createCustomer();
    const { page } = await enter(portal, shop.consumer.email);
    await page.getByRole('link', { name: 'Manage The match channel' }).click();
    await page.getByRole('link', { name: 'Change plan' }).click();
    await look('portal-switch');
    await page.getByRole('radio').check();
    await page.getByRole('button', { name: 'Review change' }).click();
    await page.getByRole('heading', { name: 'Summary' }).waitFor();
    await page.getByText('Unused time on Monthly pass').waitFor();
    await look('portal-switch-preview');
    await proveMailbox(app, shop.consumer.id);
    await page.getByRole('button', { name: 'Change plan and pay' }).click();
    await page.getByText('Your plan has changed.').waitFor();
    await look('portal-switched');
    await page.getByRole('link', { name: 'Receipts' }).click();
    await look('portal-receipts');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page
        .getByRole('link', { name: /^Download receipt \(PDF\): / })
        .first()
        .click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^receipt-[\w-]+\.pdf$/);
    await page.getByRole('link', { name: 'Purchases' }).click();
    await look('portal-purchases');
    await page.getByRole('link', { name: 'Gifts' }).click();
    await look('portal-gifts');
    await page.getByRole('link', { name: 'Card', exact: true }).click();
    await page.locator('form[name=card] button').click();
    await page.getByRole('alert').waitFor();
    await look('portal-card-refused');
    await typeCard(page, cards.success);
    await page.getByRole('button', { name: 'Save card' }).click();
    await page.getByText('Your new card is saved.').waitFor();
    await look('portal-card');
    await page.getByRole('link', { name: 'Profile' }).click();
    await look('portal-profile');
    await page.getByRole('link', { name: 'Your data' }).click();
    await page.locator('#field-password').fill(password);
    await page.getByRole('button', { name: 'Export my data' }).click();
    await page.getByText(/We have emailed your data to/).waitFor();
    await look('portal-data');
    await page.getByRole('link', { name: 'Delete my account' }).click();
    await look('portal-erase');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.locator('form[name=sign-in]').waitFor();
  });

  test.each([
    ['en-GB', en],
    ['ar', ar],
  ])('%s: what is overdue is confirmed at the bank, and the page goes on by itself', async (language, texts) => {
    const { failures, subscriptions } = texts.portal;
    const { shop, id, portal } = await createCustomer(cards.declinedAtRenewal);
    await failToRenew(app, shop, id);
    const { page, context } = await enter(portal, shop.consumer.email, language);
    const manage = subscriptions.manageWhat.replace('{title}', 'The match channel');
    await page.getByRole('link', { name: manage }).click();
    await page.getByText(failures.declined).waitFor();
    await look(`portal-past-due-${language}`);
    // The page asks for news by itself. Its buttons stay readable while it waits for the answer.
    await page.evaluate("document.querySelector('[data-listen]').classList.add('htmx-request')");
    await look(`portal-past-due-asking-${language}`);
    await changeCardOutcome(app, { id }, 'needs_authentication');
    await page.getByRole('button', { name: subscriptions.retry }).click();
    const link = page.getByRole('link', { name: texts.paywall.openBank });
    await link.waitFor();
    await look(`portal-authentication-${language}`);
    const bank = await context.newPage();
    const address = (await link.getAttribute('href')) ?? '';
    await bank.goto(address.replace('http://paywall.test', app.address));
    await bank.getByRole('button', { name: texts.bank.approve }).click();
    await page.getByText(subscriptions.renews.split('{date}')[0] ?? '').waitFor();
    await look(`portal-recovered-${language}`);
  });

  test('in Arabic it reads from the right, and says the same', async () => {
    const { shop, portal } = await createCustomer();
    const { page } = await enter(portal, shop.consumer.email, 'ar');
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
    await look('portal-ar');
    await page.getByRole('link', { name: 'إدارة The match channel' }).click();
    await page.locator('summary', { hasText: 'إلغاء الاشتراك' }).click();
    await look('portal-cancel-ar');
    await page.locator('form[name=cancel] button').click();
    await page.getByText('أُلغي اشتراكك.').waitFor();
    await page.locator('summary', { hasText: 'الاحتفاظ بالاشتراك' }).click();
    await page.locator('form[name=resume] button').click();
    await page.getByText('اشتراكك مستمر.').waitFor();
    await page.getByRole('link', { name: 'تغيير الخطة' }).click();
    await page.getByRole('radio').check();
    await page.getByRole('button', { name: 'مراجعة التغيير' }).click();
    await page.getByRole('heading', { name: 'الملخص' }).waitFor();
    await look('portal-switch-preview-ar');
    await proveMailbox(app, shop.consumer.id);
    await page.getByRole('button', { name: ar.portal.switch.confirmPay.split('{price}')[0] ?? '' }).click();
    await page.getByText(ar.portal.done.switched).waitFor();
    await look('portal-switched-ar');
    await page.getByRole('link', { name: 'الإيصالات' }).click();
    await look('portal-receipts-ar');
    await page.getByRole('link', { name: 'المشتريات' }).click();
    await look('portal-purchases-ar');
    await page.getByRole('link', { name: 'بياناتك' }).click();
    await look('portal-data-ar');
    await page.getByRole('link', { name: 'الملف الشخصي' }).click();
    await look('portal-profile-ar');
  });
});
