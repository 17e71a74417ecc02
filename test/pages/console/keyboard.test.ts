import { readFileSync } from 'node:fs';
import { type Page } from 'playwright-core';
import { type Chromium, describeInBrowser, startChromium, type Visitor } from '../../support/chromium';
import { createConsumer, createShop, password, reaches, type Shop, subscribe } from '../../support/factories';
import { type Keyboard, useKeyboard } from '../../support/keyboard';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

/** The ten commonest jobs of a merchant, by the keyboard alone. Names and news are those of the accessibility tree. */

let app: TestApp;
let chromium: Chromium;
let visitor: Visitor;
let shop: Shop;
let keys: Keyboard;
let page: Page;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

const title = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();

/** The clicks of each job. */
const counted: Record<string, number> = {};
const done = (job: string, clicks: number) => void (counted[job] = clicks);

/** Opens the overview, where every job begins. */
async function begin(): Promise<void> {
  page = await visitor.context.newPage();
  await page.goto(`${app.address}/console`);
  keys = await useKeyboard(page);
}

/** A customer of the shop with a running subscription. */
async function createReader() {
  const consumer = await createConsumer(app, shop.merchant);
  const { body } = await subscribe(app, { ...shop, consumer });
  await reaches(app, consumer, body.subscription_id, 'active');
  return { consumer, id: body.subscription_id };
}

/** Follows a link or a button to another page. `to`: an address that the page before does not have. */
async function go(role: string, name: string | RegExp, to: string | RegExp): Promise<void> {
  await keys.press(role, name);
  await page.waitForURL(typeof to === 'string' ? `**/console/${to}` : to);
  await keys.skip();
}

/** Finds a customer by the search box. */
async function find(email: string): Promise<void> {
  await keys.send('Find anything', email);
  await page.waitForURL('**/console/search?*');
  await keys.skip();
  // Chromium reads the places where an address may break as spaces.
  await go('link', new RegExp(`^${email.replaceAll(/[@.]/g, (sign) => ` ?[${sign}]`)}$`), 'customers/*');
}

describeInBrowser('the ten commonest jobs, by the keyboard', () => {
  beforeAll(async () => {
    chromium = await startChromium();
    shop = await createShop(app);
    visitor = await chromium.newVisitor();
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: app.address });
    ({ page } = visitor);
    await page.goto(`${app.address}/console/sign-in`);
    keys = await useKeyboard(page);
    await keys.type('Email', shop.merchant.email);
    await keys.send('Password', password);
    await title('Overview');
  });
  beforeEach(begin);
  afterEach(() => page.close());
  afterAll(() => chromium.close());

  /** Who has acted hears it: the focus is on the news, or a live region has it. */
  async function hears(text: RegExp): Promise<void> {
    // The script of the page moves the focus before the page has loaded.
    await page.waitForLoadState();
    const { name } = await keys.focus();
    expect([name, ...(await keys.announced())].join('\n')).toMatch(text);
  }

  test('1: sell an item at a price', async () => {
    await go('link', 'Catalog', 'items');
    await go('link', 'Add item', 'items/new');
    await keys.type(/^Title/, 'Cup final');
    await keys.type(/^Content/, 'The whole match');
    await go('button', 'Add item', /\/items\/\d+/);
    await go('link', 'Add fee', 'items/*/fees/new');
    await keys.press('button', 'Add fee');
    await page.getByRole('alert').waitFor();
    await hears(/Amount/);
    const refused = keys.clicks();
    await keys.type(/^Description/, 'Monthly');
    await keys.type(/^Amount/, '9.99');
    await keys.type(/^Currency/, 'EUR');
    await keys.press('button', 'Add fee');
    await page.getByRole('link', { name: 'Monthly' }).waitFor();
    done('Sell an item at a price', keys.clicks() - (refused - 4));
  });

  test('2: copy the address of a paywall', async () => {
    await go('link', 'Catalog', 'items');
    await keys.press('button', new RegExp(`^Copy.*${shop.item.id}$`));
    await until(async () => (await keys.announced()).some((text) => text.includes('Copied')));
    done('Copy the address of a paywall', keys.clicks());
  });

  test('3: see why a customer has no access', async () => {
    const { email } = await createConsumer(app, shop.merchant);
    await find(email);
    await page.getByText('No access: this customer never had any.').waitFor();
    done('See why a customer has no access', keys.clicks());
  });

  test('4: extend access', async () => {
    const { consumer } = await createReader();
    await find(consumer.email);
    await keys.press('link', /^Extend/);
    await page.waitForURL('**?find=*');
    await keys.type(/^Days/, '14');
    await keys.press('button', /^Extend/);
    await page.getByRole('status').first().waitFor();
    await hears(/./);
    done('Extend access', keys.clicks());
  });

  test('5: give access by hand', async () => {
    const { email } = await createConsumer(app, shop.merchant);
    await find(email);
    await keys.press('summary', 'Grant access');
    await keys.choose(/^Item/, shop.item.title.slice(0, 1));
    // The order of the parts is that of Chromium's language: month, day, year.
    await keys.type(/until/i, '12312037');
    await keys.press('button', 'Grant access');
    await page.getByRole('status').first().waitFor();
    await hears(/./);
    done('Give access by hand', keys.clicks());
  });

  test('6: send a receipt again', async () => {
    const { consumer } = await createReader();
    await find(consumer.email);
    await keys.press('button', /^Resend receipt/);
    await page.getByRole('status').first().waitFor();
    await hears(/./);
    done('Send a receipt again', keys.clicks());
  });

  test('7: refund a payment', async () => {
    await createReader();
    await go('link', 'Transactions', 'transactions');
    await go('link', /^Refund/, 'transactions/*/refund');
    await keys.press('button', /^Refund/);
    await page.getByText('The refund is processing.').waitFor();
    await hears(/The refund is processing/);
    done('Refund a payment', keys.clicks());
  });

  test('8: cancel a subscription', async () => {
    const { consumer, id } = await createReader();
    await go('link', 'Subscriptions', 'subscriptions');
    await go('link', shop.item.title, `subscriptions/${id}`);
    await keys.press('summary', 'Cancel');
    await keys.choose(/^Cancel/, 'I');
    await keys.press('button', 'Cancel');
    await page.getByRole('status').first().waitFor();
    await hears(/./);
    await reaches(app, consumer, id, 'canceled');
    done('Cancel a subscription', keys.clicks());
  });

  test('9: make a hundred voucher codes', async () => {
    await go('link', 'Vouchers', 'vouchers');
    await go('link', 'Batches', 'voucher-batches');
    await go('link', 'Create batch', 'voucher-batches/new');
    await keys.type(/^Name/, 'Spring');
    await keys.type(/^Discount \(%\)/, '20');
    await keys.type(/^Number of codes/, '100');
    await keys.press('button', 'Create batch');
    await page.getByRole('status').first().waitFor();
    await hears(/./);
    done('Make a hundred voucher codes', keys.clicks());
  });

  test('10: download the customers', async () => {
    await go('link', 'Customers', 'customers');
    const download = page.waitForEvent('download');
    await keys.press('link', 'Download CSV');
    expect((await download).suggestedFilename()).toMatch(/\.csv$/);
    done('Download the customers', keys.clicks());
  });

  test('the clicks of each job are those of docs/pages.md', () => {
    const rows = readFileSync('docs/pages.md', 'utf8').matchAll(/^\| ([A-Z][^|]+) \| [^|]+ \| (\d+) \|$/gm);
    expect(Object.fromEntries([...rows].map(([, job, clicks]) => [job, Number(clicks)]))).toEqual(counted);
  });
});
