import { consolePages } from '../../../src/pages/console/pages';
import {
  type Chromium,
  describeInBrowser,
  faultsOf,
  isTooWide,
  startChromium,
  type Visitor,
} from '../../support/chromium';
import { call } from '../../support/client';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createMerchant, createShop, reaches, type Shop, subscribe } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { createVoucher } from '../../support/vouchers';
import { createWebhook } from '../../support/webhooks';

let app: TestApp;
let chromium: Chromium;

beforeAll(async () => {
  app = await startApp({ TEMPORAL_UI_URL: 'https://temporal.example' });
  await app.startWorker();
});
afterAll(() => app.stop());

/** What answers a part of a page, or a file. */
const noPages = [
  '/console/items/fields',
  '/console/branding/preview-frame',
  '/console/csv/{list}',
  '/console/test-mailbox/{id}/attachment',
];

const paths = Object.values(consolePages)
  .filter(({ method, path }) => method === 'get' && !noPages.includes(path))
  .map(({ path }) => path);

/** One of everything that a page can be about, by the page's path: a page that is not named here fails the test. */
async function makeOneOfEach(shop: Shop): Promise<Record<string, string>> {
  const { merchant, consumer, item, fee } = shop;
  const post = async (path: string, body: object) =>
    (await call<{ id: number }>(app, 'POST', path, body as Record<string, unknown>, merchant)).body.id;
  const { body } = await subscribe(app, shop);
  await reaches(app, consumer, body.subscription_id, 'active');
  const list = '/payments/transactions';
  const sold = await call<{ collection: { trx_token: string }[] }>(app, 'GET', list, undefined, merchant);
  const code = await call<{ code_id: number }>(app, 'POST', `/items/${item.id}/access/codes`, {}, merchant);
  const mails = await call<{ collection: { id: number }[] }>(app, 'GET', '/test-mailbox', undefined, merchant);
  const countries = { name: 'Home', type: 'whitelist', global: 'false', countries: ['DE'] };
  const question = { name: 'club', label: 'Your club', type: 'text', required: 'false' };
  const report = { report: 'summary', cadence: 'weekly', recipients: [merchant.email] };
  return {
    '/console/items/{id}': String(item.id),
    '/console/items/{id}/codes': String(item.id),
    '/console/items/{id}/codes/{code_id}': `${item.id}/codes/${code.body.code_id}`,
    '/console/items/{id}/restrictions': String(item.id),
    '/console/items/{id}/fees/new': String(item.id),
    '/console/items/{id}/fees/{fee_id}': `${item.id}/fees/${fee.id}`,
    '/console/customers/{id}': String(consumer.id),
    '/console/subscriptions/{id}': body.subscription_id,
    '/console/transactions/{trx_token}/refund': sold.body.collection[0]?.trx_token ?? '',
    '/console/vouchers/{id}': String((await createVoucher(app, merchant)).id),
    '/console/restrictions/countries/{id}': String(await post('/restrictions/geo/country-set', countries)),
    '/console/restrictions/places/{id}': String(await post('/restrictions/geo/set', countries)),
    '/console/reports/schedules/{id}': String(await post('/reporting/schedules', report)),
    '/console/settings/registration/{id}': String(await post('/accounts/register-field', question)),
    '/console/settings/apps/{id}': String(await post('/accounts/apps', { name: 'Newsroom' })),
    '/console/settings/stores/{platform}': 'apple',
    '/console/settings/webhooks/{id}': String((await createWebhook(app, merchant)).id),
    '/console/test-mailbox/{id}': String(mails.body.collection[0]?.id),
  };
}

function addressOf(path: string, known: Record<string, string>): string {
  if (!path.includes('{')) return path;
  const [before = '', after = ''] = path.split(/\{.*\}/);
  const value = known[path];
  if (value === undefined) throw new Error(`There is nothing to show at ${path}: name it in makeOneOfEach`);
  return before + value + after;
}

interface Focused {
  what: string;
  isSeen: boolean;
}

/** Runs in the browser, whose names the compiler does not know here. */
const focused = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return undefined;
  const { outlineStyle, outlineWidth } = getComputedStyle(element.closest('.choice') ?? element);
  const { width, height } = element.getBoundingClientRect();
  const what = element.tagName + ' ' + (element.id || element.textContent.trim().slice(0, 40));
  const isOutlined = outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
  return { what, isSeen: element.tagName === 'IFRAME' || (isOutlined && width > 1 && height > 1) };
})()`;
const stopsMax = 120;

/** Every place that Tab comes to, until it leaves the page: those at which nobody would see where one is. */
async function hiddenStops({ page }: Visitor): Promise<string[]> {
  const hidden: string[] = [];
  const seen = new Set<string>();
  for (let stop = 0; stop < stopsMax; stop += 1) {
    await page.keyboard.press('Tab');
    const place = await page.evaluate<Focused | undefined>(focused);
    if (place === undefined) break;
    seen.add(place.what);
    if (!place.isSeen) hidden.push(place.what);
  }
  return seen.size > 0 ? hidden : ['nothing takes the focus'];
}

describeInBrowser('every page of the console', () => {
  let visitor: Visitor;
  let shop: Shop;
  let known: Record<string, string>;
  beforeAll(async () => {
    chromium = await startChromium();
    shop = await createShop(app);
    known = await makeOneOfEach(shop);
    visitor = await chromium.newVisitor();
    await enter(shop.merchant.email);
  });
  afterAll(async () => {
    await visitor.context.close();
    await chromium.close();
  });

  const { open, enter } = consoleVisitor(
    () => app,
    () => visitor,
  );

  test.each(paths)('%s: nothing serious for axe, no wider than 375 and 320 pixels, the focus is seen', async (path) => {
    const { page } = visitor;
    const response = await open(addressOf(path, known));
    expect(response?.status()).toBe(200);
    await page.setViewportSize({ width: 375, height: 740 });
    expect(await isTooWide(page)).toBe(false);
    await page.setViewportSize({ width: 1280, height: 860 });
    expect(await faultsOf(visitor, `every${path.replaceAll(/[/{}]+/g, '-')}`)).toEqual([]);
    // A mail is its reader's, and has no more than a link.
    if (path !== '/console/test-mailbox/{id}') expect(await hiddenStops(visitor)).toEqual([]);
  });

  test('people and charges are called by what a merchant knows of them', async () => {
    const { page } = visitor;
    const { email } = shop.consumer;
    await open('/console/subscriptions');
    await page.getByRole('row', { name: email }).getByText('Cup final').waitFor();
    await open(addressOf('/console/subscriptions/{id}', known));
    await page.getByRole('link', { name: email }).waitFor();
    await page.getByText('ending in 4242').waitFor();
    await open(addressOf('/console/transactions/{trx_token}/refund', known));
    await page.getByRole('link', { name: email }).waitFor();
    await page.getByText('Leave it empty to give back all that is left: €9.99.').waitFor();
    await open('/console/audit?action=webhook.create');
    await page.getByRole('row', { name: 'Webhook added' }).getByRole('cell', { name: 'You' }).waitFor();
  });

  test('a mail is opened as its reader sees it, with what it carries', async () => {
    const { page } = visitor;
    await open(`/console/test-mailbox?to=${encodeURIComponent(shop.consumer.email)}`);
    const mail = page.locator('.mail', { hasText: 'receipt' }).first();
    await mail.locator('summary').first().click();
    await mail.frameLocator('iframe').locator('table').getByText('€9.99').first().waitFor();
  });

  test('what is somebody else’s is not there', async () => {
    const stranger = await chromium.newVisitor();
    const there = consoleVisitor(
      () => app,
      () => stranger,
    );
    await there.enter((await createMerchant(app)).email);
    for (const path of [
      '/console/test-mailbox/{id}',
      '/console/test-mailbox/{id}/attachment',
      '/console/transactions/{trx_token}/refund',
    ]) {
      const response = await there.open(
        addressOf(path, {
          ...known,
          '/console/test-mailbox/{id}/attachment': known['/console/test-mailbox/{id}'] ?? '',
        }),
      );
      expect([path, response?.status()]).toEqual([path, 404]);
    }
    await stranger.context.close();
  });

  test('Escape closes a question, and one is where one was', async () => {
    const { page } = visitor;
    await open(addressOf('/console/customers/{id}', known));
    const question = page.locator('.asking').first();
    await question.locator('summary').press('Enter');
    await question.getByRole('button').press('Escape');
    await question.getByRole('button').waitFor({ state: 'hidden' });
    await question.locator('summary:focus').waitFor();
  });
});
