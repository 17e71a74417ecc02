import { consoleAddress, consolePaths, fillConsole } from '../support/consolePlaces';
import { describeInBrowser } from '../support/chromium';
import { askForDemoData, isFilled } from '../support/demoData';
import { call } from '../support/client';
import { createConsumer, createFee, createItem, createMerchant, type Person, type Shop } from '../support/factories';
import { moveToPages, switchFactorOn } from '../support/secondFactors';
import { startApp, type TestApp } from '../support/startApp';
import { enterAs, languagesOf, type Photographer, pictureName, startPhotographer } from './photographer';
import { named } from './scene';

/**
 * `npm run screenshots`: each page of the console, with a year of demo data, and each list without a row. The pages are
 * those that the console registers, so that a new page is taken without a change here.
 */

let app: TestApp;
let photographer: Photographer;
let full: Person;
let empty: Person;
let guarded: Person;
let known: Record<string, string>;

/** Pages for visitors who are not signed in. */
const entries = ['/console/sign-in', '/console/register', '/console/forgotten'];
const lists = consolePaths.filter(
  (path) =>
    !path.includes('{') && !path.startsWith('/console/styleguide') && !/register|sign-in|forgotten|\/new$/.test(path),
);

/** Lists and searches with a term. */
const filtered = {
  'console-transactions-filtered': 'transactions?type=charge&customer=mira%40readers.example&amount_from=1',
  'console-transactions-nobody': 'transactions?customer=nobody%40readers.example',
  'console-subscriptions-filtered': 'subscriptions?status=active&customer=mira%40readers.example',
  'console-customers-found': 'customers?search=mira',
  'console-customers-nobody': 'customers?search=nobody-has-this-name',
  'console-search-found': 'search?query=mira',
  'console-search-nothing': 'search?query=nobody-has-this-name',
};

describeInBrowser('the console', () => {
  beforeAll(async () => {
    app = await startApp({ TEMPORAL_UI_URL: 'https://temporal.example' });
    await app.startWorker();
    empty = await createMerchant(app);
    guarded = await createMerchant(app);
    await switchFactorOn(app, guarded);
    full = await named(app, await createMerchant(app), 'The Paywall Weekly', 'ana@weekly.example');
    await askForDemoData(app, full.email);
    await isFilled(app, full.id);
    known = await fillConsole(app, await openShop(full));
    photographer = await startPhotographer();
  });
  afterAll(async () => {
    await photographer.close();
    await app.stop();
  });

  test.each(languagesOf('staff'))('%s: every page', (language) =>
    photographer.visit(language, async (page, keep) => {
      for (const path of entries) {
        await page.goto(app.address + path);
        await keep(pictureName(path));
      }
      await page.goto(`${app.address}/console/forgotten?done=sent`);
      await keep('console-forgotten-sent');
      await enterAs(page, `${app.address}/console/sign-in`, guarded.email);
      await page.locator('form[name=second-factor]').waitFor();
      await keep('console-sign-in-code');
      await page.context().clearCookies();
      await enterAs(page, `${app.address}/console/sign-in`, full.email);
      await page.locator('.console-menu').waitFor();
      for (const path of consolePaths.filter((one) => !entries.includes(one) && one !== '/console/sign-in/code')) {
        await page.goto(app.address + consoleAddress(path, known));
        await keep(pictureName(path));
      }
    }),
  );

  test.each(languagesOf('staff'))('%s: filtered lists, a search, and questions before a change', (language) =>
    photographer.visit(language, async (page, keep) => {
      await enterAs(page, `${app.address}/console/sign-in`, full.email);
      await page.locator('.console-menu').waitFor();
      for (const [name, place] of Object.entries(filtered)) {
        await page.goto(`${app.address}/console/${place}`);
        await keep(name);
      }
      await page.goto(`${app.address}/console/subscriptions`);
      await page.locator('td.pick input').first().check();
      await page.locator('td.pick input').nth(1).check();
      await keep('console-subscriptions-chosen');
      await page.locator('form:has(#field-action) button[type=submit]').first().click();
      await page.waitForURL('**/chosen/**');
      await keep('console-chosen-question');
      await call(app, 'POST', '/restrictions/age', { min_age: 18 }, full);
      await page.goto(`${app.address}/console/restrictions`);
      await moveToPages(app, full, '11 minutes');
      await page.locator('#field-min_age').fill('12');
      await page.locator('form:has(#field-min_age) button[type=submit]').click();
      await page.locator('form[name=confirmation]').waitFor();
      await keep('console-confirmation');
      await page.locator('#field-_confirm_password').fill('wrong');
      await page.locator('form[name=confirmation] button').click();
      await page.getByRole('alert').waitFor();
      await keep('console-confirmation-refused');
    }),
  );

  test.each(languagesOf('staff'))('%s: every list without rows', (language) =>
    photographer.visit(language, async (page, keep) => {
      await enterAs(page, `${app.address}/console/sign-in`, empty.email);
      await page.locator('.console-menu').waitFor();
      for (const path of lists) {
        await page.goto(app.address + path);
        await keep(`${pictureName(path)}-empty`);
      }
    }),
  );
});

async function openShop(merchant: Person): Promise<Shop> {
  const reader = await createConsumer(app, merchant);
  const consumer = await named(app, reader, 'Mira Stone', 'mira@readers.example');
  const item = await createItem(app, merchant, { title: 'Cup final, replay' });
  const fee = await createFee(app, merchant, item.id, { description: 'Monthly' });
  return { merchant, consumer, item, fee };
}
