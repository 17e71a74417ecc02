import { type Page } from 'playwright-core';
import { type Chromium, describeInBrowser, startChromium } from '../support/chromium';
import { consoleAddress, consolePaths, fillConsole } from '../support/consolePlaces';
import { createFee, createShop, password, type Shop } from '../support/factories';
import { lossesOf } from '../support/forcedColors';
import { createOperator, insertRefused } from '../support/operators';
import { paywallOf } from '../support/paywall';
import { codeOf, forgetSteps } from '../support/secondFactors';
import { startApp, type TestApp } from '../support/startApp';
import { operatorPlaces, portalPlaces } from '../gallery/places';

/** Forced colours: the system replaces the colours of a page. Nothing that a person needs may depend on them. */

let app: TestApp;
let chromium: Chromium;
let page: Page;

const fill = async (fields: Record<string, string>) => {
  for (const [name, value] of Object.entries(fields)) await page.locator(`#field-${name}`).fill(value);
};
const press = (name: string) => page.locator(`form[name=${name}] button[type=submit]`).first().click();

/** The losses of each page, by its path. */
async function lossesAt(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    await page.goto(app.address + path);
    found.push(...(await lossesOf(page)).map((loss) => `${path}: ${loss}`));
  }
  return found;
}

describeInBrowser('forced colours', () => {
  beforeAll(async () => {
    app = await startApp();
    await app.startWorker();
    chromium = await startChromium();
  });
  afterAll(async () => {
    await chromium.close();
    await app.stop();
  });
  beforeEach(async () => void ({ page } = await chromium.newVisitor()));
  afterEach(() => page.context().close());

  const createPlans = async (): Promise<Shop> => {
    const shop = await createShop(app);
    await createFee(app, shop.merchant, shop.item.id, { period: 'year', amount: '99.00', description: 'Yearly' });
    return shop;
  };

  test('the paywall: the offer, its forms with errors, the checkout with the chosen plan', async () => {
    const shop = await createPlans();
    await page.goto(paywallOf(app, shop));
    expect(await lossesOf(page)).toEqual([]);
    for (const step of ['register', 'forgotten', 'sign-in']) {
      await page.goto(`${paywallOf(app, shop)}?step=${step}`);
      await press(step);
      await page.getByRole('alert').waitFor();
      expect([step, await lossesOf(page)]).toEqual([step, []]);
    }
    await fill({ username: shop.consumer.email, password });
    await press('sign-in');
    await page.locator('form[name=checkout]').waitFor();
    expect(await page.locator('.choice:has(:checked)').count()).toBeGreaterThan(0);
    expect(await lossesOf(page)).toEqual([]);
  });

  test('the portal: each of its pages', async () => {
    const shop = await createPlans();
    const portal = `/portal/${shop.merchant.uuid}`;
    expect(await lossesAt([`${portal}/register`, `${portal}/sign-in`])).toEqual([]);
    await fill({ username: shop.consumer.email, password });
    await press('sign-in');
    await page.waitForURL(`**${portal}`);
    const places = Object.values(portalPlaces).filter((place) => !place.includes('{'));
    expect(await lossesAt(places.map((place) => portal + place))).toEqual([]);
  });

  test('the console: each of its pages, with charts, switches, filters and the style guide', async () => {
    const shop = await createPlans();
    const known = await fillConsole(app, shop);
    await page.goto(`${app.address}/console/sign-in`);
    await fill({ email: shop.merchant.email, password });
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await lossesAt(consolePaths.map((path) => consoleAddress(path, known)))).toEqual([]);
  });

  test('operators: the sign-in and each page', async () => {
    const shop = await createPlans();
    const operator = await createOperator(app);
    await insertRefused(app);
    await forgetSteps(app, operator);
    expect(await lossesAt(['/operator/sign-in'])).toEqual([]);
    await fill({ email: operator.email, password });
    await page.keyboard.press('Enter');
    await page.locator('form[name=second-factor]').waitFor();
    expect(await lossesOf(page)).toEqual([]);
    await fill({ second_factor_code: codeOf(operator.secret) });
    await press('second-factor');
    await page.waitForURL('**/operator');
    const places = Object.values(operatorPlaces).map((place) => place.replace('{id}', String(shop.merchant.id)));
    expect(await lossesAt(places)).toEqual([]);
  });
});
