import { type Chromium, describeInBrowser, startChromium, type Visitor } from '../../support/chromium';
import { createConsumer, createShop, password, type Shop, subscribe } from '../../support/factories';
import { receives } from '../../support/mailbox';
import { createSchedule } from '../../support/reportSchedules';
import { startApp, type TestApp } from '../../support/startApp';
import { nameSeller } from '../../support/tax';

/** The console in Arabic on a phone: texts in other letters keep their direction, and lists have the Arabic comma. */

let app: TestApp;
let shop: Shop;

beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app);
});
afterAll(() => app.stop());

describeInBrowser('from right to left', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  const open = (path: string) => visitor.page.goto(`${app.address}${path}`);

  async function start() {
    visitor = await chromium.newVisitor({ language: 'ar', width: 375 });
    const { page } = visitor;
    await open('/console/sign-in');
    await page.locator('#field-email').fill(shop.merchant.email);
    await page.locator('#field-password').fill(password);
    await page.locator('main form button[type=submit]').first().click();
    await page.locator('.console-menu').waitFor();
    return page;
  }

  test('a code and the subject of a mail in English are from left to right', async () => {
    const consumer = await createConsumer(app, shop.merchant);
    await receives(app, shop.merchant, consumer.email, 'activation');
    const page = await start();
    await open('/console/styleguide');
    const codes = await page.evaluate(
      `[...document.querySelectorAll('code')].map((code) => getComputedStyle(code).direction)`,
    );
    expect(new Set(codes as string[])).toEqual(new Set(['ltr']));
    await open('/console/test-mailbox');
    const subject = await page.evaluate(
      `getComputedStyle([...document.querySelectorAll('.mail .strong')].find((one) => one.textContent.includes('Activate'))).direction`,
    );
    expect(subject).toBe('ltr');
  });

  test('each row of the features is a card, so that no button is cut off', async () => {
    const page = await start();
    await open('/console/settings/features');
    const beyond = await page.evaluate(
      `[...document.querySelectorAll('.table-scroll')].map((part) => part.scrollWidth - part.clientWidth)`,
    );
    expect(beyond).toEqual([0]);
  });

  test('a price, a time and a country are in words of the language', async () => {
    await nameSeller(app, shop);
    const { body } = await subscribe(app, shop);
    await createSchedule(app, shop.merchant, { recipients: [shop.merchant.email] });
    const page = await start();
    await open(`/console/subscriptions/${body.subscription_id}`);
    expect(await page.locator('main').textContent()).toMatch(/9\.99[^,]*، /);
    await open('/console/reports/schedules');
    expect(await page.locator('main').textContent()).toContain('6:00، UTC');
    await open('/console/settings/tax');
    expect(await page.locator('.strong', { hasText: 'ألمانيا ·' }).count()).toBe(1);
  });
});
