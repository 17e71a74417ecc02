import { type BrowserContext, type Page } from 'playwright-core';
import { type Chromium, describeInBrowser, startChromium } from '../support/chromium';
import { call } from '../support/client';
import {
  cards,
  createConsumer,
  createFee,
  createItem,
  createMerchant,
  createShop,
  password,
  type Person,
  type Shop,
} from '../support/factories';
import { heading, pay, paywallOf, typeCard } from '../support/paywall';
import { startApp, type TestApp } from '../support/startApp';
import { nameNetSeller } from '../support/tax';
import { until } from '../support/until';

/** What was typed stays over a change of the language, and over a sign-in after the end of the session. */

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

async function openPlans(): Promise<Shop> {
  const shop = await createShop(app);
  await createFee(app, shop.merchant, shop.item.id, { description: 'Yearly', period: 'year', amount: '99.00' });
  return shop;
}

describeInBrowser('what was typed', () => {
  let chromium: Chromium;
  let page: Page;
  let context: BrowserContext;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  beforeEach(async () => {
    ({ page, context } = await chromium.newVisitor());
  });
  afterEach(() => context.close());

  const valueOf = (name: string) => page.locator(`#field-${name}`).inputValue();

  /** Ends the session at the service. The browser does not know it. */
  async function endSession(): Promise<void> {
    const session = (await context.cookies()).find(({ name }) => /customer_|console/.test(name));
    await call(app, 'GET', '/accounts/logout', undefined, { token: session?.value ?? '' });
  }

  /** Waits until the script of the page has run. */
  async function showsEnded(): Promise<void> {
    await page.waitForURL(/ended=true/);
    await page.getByText('Your session has ended.').waitFor();
  }

  async function signIn(name: string, email: string, given = password): Promise<void> {
    await page.locator(`#field-${name}`).fill(email);
    await page.locator('#field-password').fill(given);
    await page.locator('#field-password').press('Enter');
  }

  test('a change of the language keeps the step, the plan and the fields, but no password', async () => {
    await page.goto(paywallOf(app, await openPlans()));
    await page.getByRole('link', { name: 'Yearly' }).click();
    await heading(page, 'Create your account').waitFor();
    const { search } = new URL(page.url());
    await page.locator('#field-full_name').fill('Ana Petrova');
    await page.locator('#field-username').fill('ana@example.org');
    await page.locator('#field-password').fill(password);
    await page.locator('.languages summary').click();
    await page.locator('a[hreflang=de]').click();
    // The script of the page has filled the fields when the page has loaded.
    await page.waitForURL(/lang=de/);
    expect(new URL(page.url()).search).toBe(`${search}&lang=de`);
    expect([await valueOf('full_name'), await valueOf('username')]).toEqual(['Ana Petrova', 'ana@example.org']);
    expect(await valueOf('password')).toBe('');
    // Once: the form of a later visit is empty.
    await page.goto(page.url().replace('lang=de', 'lang=en'));
    expect(await valueOf('full_name')).toBe('');
  });

  test('the checkout keeps it over the sign-in, and over a wrong password, but no card', async () => {
    const shop = await openPlans();
    await page.goto(`${paywallOf(app, shop)}?step=sign-in`);
    await signIn('username', shop.consumer.email);
    await heading(page, 'Checkout').waitFor();
    await page.getByRole('radio', { name: 'Yearly' }).check();
    await page.getByRole('button', { name: 'Pay €99.00' }).waitFor();
    await page.locator('#field-voucher_code').fill('READER20');
    await typeCard(page, cards.success);
    await endSession();
    await pay(page);
    await showsEnded();
    await signIn('username', shop.consumer.email, 'wrong');
    await page.getByRole('alert').waitFor();
    await signIn('username', shop.consumer.email);
    await page.getByRole('button', { name: 'Pay €99.00' }).waitFor();
    expect(await page.getByRole('radio', { name: 'Yearly' }).isChecked()).toBe(true);
    expect(await valueOf('voucher_code')).toBe('READER20');
    const kept = await page.evaluate<string>('JSON.stringify(sessionStorage)');
    expect(kept).not.toContain(cards.success);
  });

  test('a declined card keeps its name and expiry, and a wrong number keeps both, but no number and no code', async () => {
    const shop = await createShop(app);
    await page.goto(`${paywallOf(app, shop)}?step=sign-in`);
    await signIn('username', shop.consumer.email);
    await heading(page, 'Checkout').waitFor();
    for (const number of [cards.declined, '4242424242424241']) {
      await typeCard(page, number);
      await pay(page);
      await page.getByText(number === cards.declined ? 'Your card was declined.' : 'Correct this field').waitFor();
      // The script of the page fills the fields shortly after the answer is shown.
      await until(async () => (await valueOf('card_name')) !== '');
      const shown = await Promise.all(['card_name', 'exp_month', 'exp_year', 'number', 'cvv'].map(valueOf));
      expect([number, ...shown]).toEqual([number, 'Ana Petrova', '12', '2040', '', '']);
    }
    const kept = await page.evaluate<string>('sessionStorage.typed');
    expect(kept).not.toMatch(/424242|"123"/);
  });

  const portalOf = ({ merchantUuid }: Person) => `${app.address}/portal/${merchantUuid}`;
  const keptInTab = () => page.evaluate<string>('JSON.stringify(sessionStorage)');

  /** Sends a name after the end of the session. */
  async function sendName(consumer: Person): Promise<void> {
    const next = `/portal/${consumer.merchantUuid}/profile`;
    await page.goto(`${portalOf(consumer)}/sign-in?next=${encodeURIComponent(next)}`);
    await signIn('username', consumer.email);
    await page.waitForURL(`**${next}`);
    await page.locator('#field-full_name').fill('Another Name');
    await endSession();
    await page.locator('form:has(#field-full_name) button[type=submit]').click();
    await showsEnded();
    expect(await keptInTab()).toContain('Another Name');
  }

  test('a form of the portal', async () => {
    const { consumer } = await createShop(app);
    await sendName(consumer);
    await signIn('username', consumer.email);
    await page.waitForURL(`${portalOf(consumer)}/profile`);
    expect(await valueOf('full_name')).toBe('Another Name');
  });

  test('a form of one customer is not shown to the next one, and is not kept', async () => {
    const { merchant, consumer } = await createShop(app);
    await sendName(consumer);
    await signIn('username', (await createConsumer(app, merchant)).email);
    await page.waitForURL(`${portalOf(consumer)}/profile`);
    expect(await valueOf('full_name')).toBe('Ana Petrova');
    expect(await keptInTab()).not.toContain('Another Name');
  });

  test('the checkout of one customer is not shown to the next one', async () => {
    const shop = await createShop(app);
    await page.goto(`${paywallOf(app, shop)}?step=sign-in`);
    await signIn('username', shop.consumer.email);
    await heading(page, 'Checkout').waitFor();
    await page.locator('#field-voucher_code').fill('READER20');
    await typeCard(page, cards.success);
    await endSession();
    await pay(page);
    await showsEnded();
    await signIn('username', (await createConsumer(app, shop.merchant)).email);
    await heading(page, 'Checkout').waitFor();
    // The script of the page forgets the form shortly after the step is shown.
    await until(async () => !(await keptInTab()).includes('READER20'));
    expect([await valueOf('voucher_code'), await valueOf('card_name')]).toEqual(['', '']);
  });

  test('a change of the language at the sign-in of an ended session', async () => {
    const { consumer } = await createShop(app);
    await sendName(consumer);
    await page.locator('.languages summary').click();
    await page.locator('a[hreflang=de]').click();
    await page.waitForURL(/lang=de/);
    await page.getByText('Ihre Sitzung').waitFor();
    await signIn('username', consumer.email);
    await page.waitForURL(`${portalOf(consumer)}/profile`);
    expect(await valueOf('full_name')).toBe('Another Name');
  });

  test.each([
    ['without a stored address', {}],
    ['in place of the region of another country', { country: 'CA', region: 'CA-ON', name: 'Ana' }],
  ])('a region, whose field appears after the choice of the country: %s', async (_name, stored) => {
    const shop = await createShop(app);
    await nameNetSeller(app, shop);
    const { consumer } = shop;
    if ('country' in stored)
      expect((await call(app, 'PUT', '/v2/accounts/billing-details', stored, consumer)).status).toBe(200);
    const next = `/portal/${consumer.merchantUuid}/billing`;
    await page.goto(`${portalOf(consumer)}/sign-in?next=${encodeURIComponent(next)}`);
    await signIn('username', consumer.email);
    await page.waitForURL(`**${next}`);
    await page.locator('#field-billing_country').selectOption('US');
    await page.locator('#field-billing_region').selectOption('US-NY');
    await page.locator('#field-billing_city').fill('Albany');
    await endSession();
    await page.locator('form:has(#field-billing_city) button[type=submit]').click();
    await showsEnded();
    await signIn('username', consumer.email);
    await page.waitForURL(`${portalOf(consumer)}/billing`);
    await page.locator('#field-billing_region option[value=US-NY]:checked').waitFor({ state: 'attached' });
    expect([await valueOf('billing_country'), await valueOf('billing_city')]).toEqual(['US', 'Albany']);
    // A later choice of the country does not choose the region again.
    await page.locator('#field-billing_country').selectOption('DE');
    await page.locator('#field-billing_region').waitFor({ state: 'detached' });
    await page.locator('#field-billing_country').selectOption('US');
    await page.locator('#field-billing_region').waitFor();
    expect(await valueOf('billing_region')).toBe('');
  });

  test('no code of an item or of a television', async () => {
    const { merchant, consumer } = await createShop(app);
    const coded = await createItem(app, merchant, { access_control_type_id: 2 });
    await page.goto(`${app.address}/paywall/${merchant.uuid}/${coded.id}`);
    await page.locator('#field-code').fill('typed code');
    await page.locator('form[name=code] button[type=submit]').click();
    await page.getByRole('alert').waitFor();
    expect(await keptInTab()).not.toContain('typed code');
    const next = `/portal/${consumer.merchantUuid}/tv`;
    await page.goto(`${portalOf(consumer)}/sign-in?next=${encodeURIComponent(next)}`);
    await signIn('username', consumer.email);
    await page.waitForURL(`**${next}`);
    await page.locator('#field-user_code').fill('typed code');
    await endSession();
    await page.locator('form:has(#field-user_code) button[type=submit]').click();
    await showsEnded();
    expect(await keptInTab()).not.toContain('typed code');
  });

  test('no new code of an item, at the console', async () => {
    const merchant = await createMerchant(app);
    const coded = await createItem(app, merchant, { access_control_type_id: 2 });
    const next = `/console/items/${coded.id}/codes`;
    await page.goto(`${app.address}/console/sign-in?next=${encodeURIComponent(next)}`);
    await signIn('email', merchant.email);
    await page.waitForURL(`**${next}`);
    await page.locator('#field-code').fill('typed code');
    await page.locator('#field-device_limit').fill('42');
    await endSession();
    await page.locator('form:has(#field-code) button[type=submit]').click();
    await showsEnded();
    expect(await keptInTab()).toContain('"42\\"');
    expect(await keptInTab()).not.toContain('typed code');
  });

  test('a form of the console, which is empty again after it was saved', async () => {
    const { email } = await createMerchant(app);
    await page.goto(`${app.address}/console/sign-in?next=%2Fconsole%2Fitems%2Fnew`);
    await signIn('email', email);
    await page.waitForURL('**/console/items/new');
    await page.locator('#field-title').fill('Cup final');
    await page.locator('#field-content').fill('The whole match');
    await endSession();
    await page.locator('form:has(#field-title) button[type=submit]').click();
    await showsEnded();
    await signIn('email', email);
    await page.waitForURL('**/console/items/new');
    expect([await valueOf('title'), await valueOf('content')]).toEqual(['Cup final', 'The whole match']);
    await page.locator('form:has(#field-title) button[type=submit]').click();
    await page.waitForURL(/console\/items\/\d+/);
    await page.goto(`${app.address}/console/items/new`);
    expect(await valueOf('title')).toBe('');
  });

  test('no key of a store', async () => {
    const { email } = await createMerchant(app);
    await page.goto(`${app.address}/console/sign-in?next=%2Fconsole%2Fsettings%2Fstores%2Fapple`);
    await signIn('email', email);
    await page.waitForURL('**/console/settings/stores/apple');
    const names = ['bundle_id', 'app_apple_id', 'issuer_id', 'key_id', 'private_key'];
    for (const name of names) await page.locator(`#field-${name}`).fill(`typed ${name}`);
    await endSession();
    await page.locator('form:has(#field-private_key) button[type=submit]').click();
    await showsEnded();
    const kept = await page.evaluate<string>('JSON.stringify(sessionStorage)');
    expect(kept).toContain('typed bundle_id');
    expect(kept).not.toContain('typed private_key');
  });
});
