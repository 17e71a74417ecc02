import { createCode, createPackage, giveByHand } from '../../support/access';
import { type Chromium, describeInBrowser, faultsOf, startChromium } from '../../support/chromium';
import { pathOf, signedInAt } from '../../support/checkout';
import { call } from '../../support/client';
import { cards, createFee, createItem, createShop, type Shop } from '../../support/factories';
import { pay, paywallOf, registerAt, typeCard } from '../../support/paywall';
import { startApp, type TestApp } from '../../support/startApp';

/** Steps of the paywall that only some items have. Each is accessible, fits a phone, and works in Arabic. */

let app: TestApp;
let chromium: Chromium;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const trial = { trial_period_quantity: '7', trial_period_period: 'day', trial_end_behaviour: 'cancel' };

interface Step {
  shop: Shop;
  isSignedIn?: true;
}

/** The way to each step, and the text that shows it, in both languages. */
const steps: Record<string, { at: () => Promise<Step>; told: string }> = {
  'a code': {
    at: async () => {
      const shop = await createShop(app);
      const item = await createItem(app, shop.merchant, { access_control_type_id: 2 });
      await createCode(app, { ...shop, item });
      return { shop: { ...shop, item } };
    },
    told: '#field-code',
  },
  'an address': {
    at: async () => {
      const shop = await createShop(app);
      return { shop: { ...shop, item: await createItem(app, shop.merchant, { access_control_type_id: 4 }) } };
    },
    told: '#field-full_name',
  },
  'the packages that hold it': {
    at: async () => {
      const shop = await createShop(app);
      const item = await createItem(app, shop.merchant);
      await createFee(app, shop.merchant, await createPackage(app, shop.merchant, [item.id]), { amount: '49.99' });
      return { shop: { ...shop, item } };
    },
    told: 'a.offer',
  },
  'what a package holds': {
    at: async () => {
      const shop = await createShop(app);
      const id = await createPackage(app, shop.merchant, [shop.item.id]);
      await createFee(app, shop.merchant, id, { amount: '49.99' });
      return { shop: { ...shop, item: { ...shop.item, id } } };
    },
    told: 'a.offer',
  },
  'the date of birth': {
    at: async () => {
      const shop = await createShop(app);
      await call(app, 'POST', `/restrictions/age/item/${shop.item.id}`, { min_age: 18 }, shop.merchant);
      return { shop, isSignedIn: true };
    },
    told: '#field-date_of_birth',
  },
  'a trial without a card': {
    at: async () => ({ shop: await createShop(app, trial), isSignedIn: true }),
    told: 'form[name=checkout] button[value=pay]',
  },
  'a package that is one’s own': {
    at: async () => {
      const shop = await createShop(app);
      const id = await createPackage(app, shop.merchant, [shop.item.id]);
      await createFee(app, shop.merchant, id, { amount: '49.99' });
      const own = { ...shop, item: { ...shop.item, id } };
      await giveByHand(app, own);
      return { shop: own, isSignedIn: true };
    },
    told: 'main a[href*="/paywall/"]',
  },
};

describeInBrowser('a step of the paywall', () => {
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  test.each(Object.entries(steps))(
    '%s: nothing that axe finds, no wider than 320 pixels',
    async (name, { at, told }) => {
      const { shop, isSignedIn } = await at();
      const cookies = isSignedIn ? (await signedInAt(app, shop)).cookies.split('; ') : [];
      for (const [language, direction] of [
        ['en-GB', 'ltr'],
        ['ar', 'rtl'],
      ] as const) {
        const visitor = await chromium.newVisitor({ language });
        await visitor.context.addCookies(
          cookies.map((pair) => {
            const [cookie = '', value = ''] = pair.split('=');
            return { name: cookie, value, url: app.address };
          }),
        );
        const { page } = visitor;
        await page.goto(`${app.address}${pathOf(shop)}`);
        await page.locator(told).first().waitFor();
        expect(await page.locator('html').getAttribute('dir')).toBe(direction);
        expect(await page.locator('.ribbon').isVisible()).toBe(true);
        const picture = `step-${name.replaceAll(/\W+/g, '-')}-${language.slice(0, 2)}`;
        expect([picture, await faultsOf(visitor, picture)]).toEqual([picture, []]);
        await visitor.context.close();
      }
    },
  );

  test('while a form is on its way none of its buttons is of use, and all are again where it did not get through', async () => {
    const shop = await createShop(app);
    const { page, context } = await chromium.newVisitor();
    await page.goto(paywallOf(app, shop));
    await registerAt(page);
    await typeCard(page, cards.success);
    const buttons = page.locator('form[name=checkout] button');
    const disabled = page.locator('form[name=checkout] button:disabled');
    expect(await buttons.count()).toBeGreaterThan(1);
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    await page.route('**/pay', async (route) => {
      await held;
      await route.abort();
    });
    await pay(page);
    await disabled.first().waitFor();
    expect(await disabled.count()).toBe(await buttons.count());
    goOn();
    await page.getByText('You are offline.').waitFor();
    expect(await disabled.count()).toBe(0);
    await context.close();
  });
});
