import {
  type Chromium,
  describeInBrowser,
  faultsOf,
  isTooWide,
  startChromium,
  type Visitor,
} from '../../support/chromium';
import { consoleAddress, consolePaths, fillConsole } from '../../support/consolePlaces';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createMerchant, createShop, type Shop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let chromium: Chromium;

beforeAll(async () => {
  app = await startApp({ TEMPORAL_UI_URL: 'https://temporal.example' });
  await app.startWorker();
});
afterAll(() => app.stop());

interface Focused {
  what: string;
  isSeen: boolean;
}

/** Runs in the browser. The compiler does not know the browser's globals here. */
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

/** A mail has no landmarks and headings of a page, and the style guide shows each part several times. */
const accepted: Record<string, RegExp> = {
  '/console/test-mailbox/{id}': /page-has-heading-one/,
  '/console/styleguide/data': /landmark-unique \.pager/,
};

/** Presses Tab through the page and returns the elements without a visible focus. */
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
    known = await fillConsole(app, shop);
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

  test.each(consolePaths)(
    '%s: nothing that axe finds, no wider than 375 and 320 pixels, the focus is seen',
    async (path) => {
      const { page } = visitor;
      const response = await open(consoleAddress(path, known));
      expect(response?.status()).toBe(200);
      await page.setViewportSize({ width: 375, height: 740 });
      expect(await isTooWide(page)).toBe(false);
      await page.setViewportSize({ width: 1280, height: 860 });
      const faults = await faultsOf(visitor, `every${path.replaceAll(/[/{}]+/g, '-')}`);
      expect(faults.filter((fault) => !accepted[path]?.test(fault))).toEqual([]);
      // A mail belongs to its reader, so the page shows a link only.
      if (path !== '/console/test-mailbox/{id}') expect(await hiddenStops(visitor)).toEqual([]);
    },
  );

  test('people and charges are called by what a merchant knows of them', async () => {
    const { page } = visitor;
    const { email } = shop.consumer;
    await open('/console/subscriptions');
    await page.getByRole('row', { name: email }).getByText('Cup final').waitFor();
    await open(consoleAddress('/console/subscriptions/{id}', known));
    await page.getByRole('link', { name: email }).waitFor();
    await page.getByText('ending in 4242').waitFor();
    await open(consoleAddress('/console/transactions/{trx_token}/refund', known));
    await page.getByRole('link', { name: email }).waitFor();
    await page.getByText('Leave it empty to refund the full remaining amount: €9.99.').waitFor();
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
        consoleAddress(path, {
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
    await open(consoleAddress('/console/customers/{id}', known));
    const question = page.locator('.asking').first();
    await question.locator('summary').press('Enter');
    await question.getByRole('button').press('Escape');
    await question.getByRole('button').waitFor({ state: 'hidden' });
    await question.locator('summary:focus').waitFor();
  });
});
