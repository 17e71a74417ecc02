import { type Page } from 'playwright-core';
import { type Chromium, describeInBrowser, faultsOf, photograph, startChromium } from '../support/chromium';
import { pathOf, signedInAt } from '../support/checkout';
import { call } from '../support/client';
import { createShop, password, type Shop } from '../support/factories';
import { paywallOf } from '../support/paywall';
import { startApp, type TestApp } from '../support/startApp';
import { nameNetSeller } from '../support/tax';
import { until } from '../support/until';

/** The field for the state or province appears with the choice of the country, before anything is saved. */

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const asFragment = { headers: { 'HX-Request': 'true' } };
const regionsIn = (text: string) => [...text.matchAll(/<option value="(\w\w-\w+)"/g)].map(([, code]) => code);
const chosenIn = (text: string) => /<option value="([^"]*)" selected/.exec(text)?.[1] ?? '';

async function createNetShop(): Promise<Shop> {
  const shop = await createShop(app, { amount: '10.00', description: 'Monthly' });
  await nameNetSeller(app, shop);
  return shop;
}

const placesOf = (shop: Shop) => [`${pathOf(shop)}/region`, `/portal/${shop.merchant.uuid}/billing/region`];
const detailsOf = async ({ consumer }: Shop) =>
  (await call<{ country: string }>(app, 'GET', '/v2/accounts/billing-details', undefined, consumer)).body;

describe('the field of a country', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await createNetShop();
    const stored = { country: 'US', region: 'US-NY', name: 'Ana' };
    expect((await call(app, 'PUT', '/v2/accounts/billing-details', stored, shop.consumer)).status).toBe(200);
  });

  test.each([
    ['US', 51, 'US-NY'],
    ['CA', 13, ''],
    ['DE', 0, ''],
    ['ES', 0, ''],
    ['', 0, ''],
    ['us', 0, ''],
    ['__proto__', 0, ''],
    ['<b>', 0, ''],
  ])('200: %p has %i regions, and only the stored one is chosen', async (country, count, chosen) => {
    const walker = await signedInAt(app, shop);
    for (const place of placesOf(shop)) {
      const query = new URLSearchParams({ billing_country: country }).toString();
      const { status, text } = await walker.open(`${place}?${query}`);
      expect([status, regionsIn(text).length, chosenIn(text)]).toEqual([200, count, chosen]);
      expect(text.includes('Also choose the state or province.')).toBe(count > 0);
      expect(text).not.toContain('<b>');
    }
  });

  test('200: a request without a country, and nothing is saved', async () => {
    const walker = await signedInAt(app, shop);
    for (const place of placesOf(shop)) expect(regionsIn((await walker.open(place)).text)).toEqual([]);
    for (const place of placesOf(shop)) await walker.open(`${place}?billing_country=CA`);
    expect(await detailsOf(shop)).toMatchObject({ country: 'US', region: 'US-NY', name: 'Ana' });
  });

  test('200: a visitor without a session is sent to the sign-in, and from there to a whole page', async () => {
    const sent = placesOf(shop).map(async (place) => {
      const { headers } = await fetch(`${app.address}${place}?billing_country=US`, asFragment);
      return headers.get('HX-Redirect');
    });
    const portal = `/portal/${shop.merchant.uuid}`;
    expect(await Promise.all(sent)).toEqual([
      `${pathOf(shop)}?step=sign-in`,
      `${portal}/sign-in?next=${encodeURIComponent(`${portal}/billing`)}`,
    ]);
  });
});

describeInBrowser('in a browser', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  const country = (page: Page) => page.locator('#field-billing_country');
  const region = (page: Page) => page.getByLabel('State or province');
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.id');
  const announced = (page: Page) => page.locator('#billing-region-told').textContent();

  async function enter(page: Page, shop: Shop): Promise<void> {
    await page.goto(`${app.address}/portal/${shop.merchant.uuid}/sign-in`);
    await page.locator('#field-username').fill(shop.consumer.email);
    await page.locator('#field-password').fill(password);
    await page.locator('form[name=sign-in] button[type=submit]').click();
    await page.getByRole('navigation', { name: 'Menu' }).waitFor();
  }

  /** Chooses a country by keys, and checks that the focus stays and the region follows it. */
  async function choosesRegion(page: Page): Promise<void> {
    await country(page).focus();
    await country(page).selectOption('US');
    await region(page).waitFor();
    expect([await focused(page), await announced(page)]).toEqual([
      'field-billing_country',
      'Also choose the state or province.',
    ]);
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('field-billing_region');
    await region(page).selectOption('US-TX');
    await country(page).selectOption('DE');
    await region(page).waitFor({ state: 'detached' });
    expect(await announced(page)).toBe('');
    await country(page).selectOption('CA');
    await region(page).selectOption('CA-ON');
  }

  test.each([1280, 375])(
    'the portal asks at once with a width of %i pixels, and keeps what is typed',
    async (width) => {
      const shop = await createNetShop();
      const visitor = await chromium.newVisitor({ width });
      const { page } = visitor;
      await enter(page, shop);
      await page.goto(`${app.address}/portal/${shop.merchant.uuid}/billing`);
      await page.locator('#field-billing_name').fill('Ana Petrova');
      await choosesRegion(page);
      expect(await page.locator('#field-billing_name').inputValue()).toBe('Ana Petrova');
      expect(await detailsOf(shop)).toMatchObject({ country: '', region: '', name: '' });
      expect(await faultsOf(visitor, `billing-region-portal-${width}`)).toEqual([]);
      await page.locator('form[name=billing] button[type=submit]').click();
      await page.getByText('Your billing details are saved.').waitFor();
      expect(await detailsOf(shop)).toMatchObject({ country: 'CA', region: 'CA-ON', name: 'Ana Petrova' });
      await visitor.context.close();
    },
  );

  test.each([1280, 375])('the checkout asks at once with a width of %i pixels, beside a typed card', async (width) => {
    const shop = await createNetShop();
    const visitor = await chromium.newVisitor({ width });
    const { page } = visitor;
    await enter(page, shop);
    await page.goto(paywallOf(app, shop));
    await page.locator('#field-number').fill('4242 4242');
    await page.locator('#field-billing_name').fill('Ana Petrova');
    await choosesRegion(page);
    expect(await page.locator('#field-number').inputValue()).toBe('4242 4242');
    expect(await page.locator('#field-billing_name').inputValue()).toBe('Ana Petrova');
    expect(await detailsOf(shop)).toMatchObject({ country: '', region: '', name: '' });
    expect(await faultsOf(visitor, `billing-region-checkout-${width}`)).toEqual([]);
    await page.locator('button[value=billing]').click();
    // The price does not change.
    await until(async () => (await detailsOf(shop)).country !== '');
    expect(await detailsOf(shop)).toMatchObject({ country: 'CA', region: 'CA-ON', name: 'Ana Petrova' });
    await page.getByRole('button', { name: 'Pay €10.00' }).waitFor();
    await visitor.context.close();
  });

  test('without scripts, the form asks for the region when it is shown again', async () => {
    const shop = await createNetShop();
    const { page, context } = await chromium.newVisitor({ hasScripts: false });
    await enter(page, shop);
    await page.goto(`${app.address}/portal/${shop.merchant.uuid}/billing`);
    await country(page).selectOption('CA');
    await page.locator('form[name=billing] button[type=submit]').click();
    await region(page).selectOption('CA-QC');
    await photograph(page, 'billing-region-no-scripts');
    await page.locator('form[name=billing] button[type=submit]').click();
    await page.getByText('Your billing details are saved.').waitFor();
    expect(await detailsOf(shop)).toMatchObject({ country: 'CA', region: 'CA-QC' });
    await context.close();
  });
});
