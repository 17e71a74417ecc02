import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { type Chromium, describeInBrowser, startChromium, type Visitor } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import {
  cards,
  createConsumer,
  createFee,
  createItem,
  password,
  type Person,
  reaches,
  subscribe,
} from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

let app: TestApp;
let chromium: Chromium;

beforeAll(async () => {
  app = await startApp({ TEMPORAL_UI_URL: 'https://temporal.example' });
  await app.startWorker();
});
afterAll(() => app.stop());

/** Runs in the browser. The compiler does not know the browser's globals here. */
const colourOf = (element: unknown) =>
  (globalThis as unknown as { getComputedStyle(of: unknown): { backgroundColor: string } }).getComputedStyle(element)
    .backgroundColor;

describeInBrowser('the console in a browser', () => {
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  const { open, look, heading, register } = consoleVisitor(
    () => app,
    () => visitor,
  );

  async function sellAnItem(): Promise<number> {
    const { page } = visitor;
    await page.getByRole('link', { name: 'Add an item to protect' }).click();
    await look('console-item-new');
    await page.getByLabel('Title', { exact: true }).fill('Cup final');
    await page.getByLabel('Content').fill('<p>3:2 after extra time</p>');
    await page.getByRole('button', { name: 'Add item' }).click();
    await page.getByRole('heading', { name: 'Cup final' }).waitFor();
    const itemId = Number(/items\/(\d+)/.exec(page.url())?.[1]);
    await page.getByRole('link', { name: 'Add fee' }).click();
    await page.getByRole('button', { name: 'Add fee' }).click();
    await page.getByRole('alert').waitFor();
    await look('console-fee-refused');
    await page.getByLabel('Description').first().fill('Monthly pass');
    await page.getByLabel('Amount').first().fill('9.99');
    await page.getByLabel('Currency').fill('EUR');
    await page.getByRole('button', { name: 'Add fee' }).click();
    await page.getByRole('link', { name: 'Monthly pass' }).waitFor();
    await look('console-item');
    return itemId;
  }

  async function buyIt(merchant: Person, itemId: number): Promise<{ consumer: Person; id: string }> {
    const consumer = await createConsumer(app, merchant);
    const fees = await call<{ id: number }[]>(app, 'GET', `/v2/items/${itemId}/access-fees`, undefined, consumer);
    const shop = { merchant, consumer, item: { id: itemId }, fee: fees.body[0] } as Parameters<typeof subscribe>[1];
    const { body } = await subscribe(app, shop, cards.success);
    await reaches(app, consumer, body.subscription_id, 'active');
    return { consumer, id: body.subscription_id };
  }

  test('the story: from the registration to the first sale, and what became of it', async () => {
    visitor = await chromium.newVisitor();
    const { page } = visitor;
    await open('/console');
    await look('console-sign-in');
    const merchant = await register(`merchant-${randomUUID()}@example.org`);
    await look('console-overview-empty');
    const itemId = await sellAnItem();
    const { consumer, id } = await buyIt(merchant, itemId);

    await page.getByRole('link', { name: 'Overview' }).click();
    const sale = page.getByRole('row', { name: consumer.email });
    await sale.getByText('€9.99').waitFor();
    expect(await page.locator('.stat', { hasText: 'Active subscriptions' }).locator('dd').innerText()).toBe('1');
    await look('console-overview');

    await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Reports' }).click();
    for (const name of ['Monthly recurring revenue', 'Revenue', 'Net revenue']) {
      const tile = page.locator('.stat', { has: page.getByText(name, { exact: true }) });
      expect([name, await tile.locator('dd').innerText()]).toEqual([name, '€9.99']);
    }
    await look('console-reports-first-sale');
    await page.locator('.stat').getByRole('link', { name: 'Revenue', exact: true }).click();
    await page.getByText('Total: €9.99').waitFor();
    await page.getByRole('row', { name: consumer.email }).getByText('Cup final').waitFor();
    await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Overview' }).click();

    await sale.getByRole('link', { name: consumer.email }).click();
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    const run = page.locator('.timeline').getByRole('link', { name: 'Workflow run' }).first();
    expect(await run.getAttribute('href')).toBe(
      `https://temporal.example/namespaces/default/workflows/subscription-${id}`,
    );
    await look('console-customer');

    await page.getByRole('link', { name: 'Transactions' }).click();
    await page.getByRole('link', { name: 'Refund' }).click();
    await look('console-refund');
    await page.getByRole('button', { name: 'Refund' }).click();
    await page.getByText('The refund is processing.').waitFor();
    await look('console-transactions');

    await open(`/console/subscriptions/${id}`);
    await page.locator('summary', { hasText: 'Cancel' }).click();
    await look('console-subscription');
    await page.getByLabel('Cancel').selectOption('now');
    await page.locator('details[open]').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('status').waitFor();
    await reaches(app, consumer, id, 'canceled');
  });

  test('every area shows what it has, and keeps what is changed in it', async () => {
    visitor = await chromium.newVisitor();
    const { page } = visitor;
    const merchant = await register(`merchant-${randomUUID()}@example.org`);
    await createConsumer(app, merchant);

    await open('/console/customers');
    await page.getByLabel('Name, email or ID').fill('Ana');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('cell', { name: 'Ana Petrova' }).waitFor();
    await look('console-customers');

    await open('/console/vouchers/new');
    await page.getByLabel('Name').fill('Welcome');
    await page.getByLabel('Code').fill('WELCOME-20');
    await page.getByLabel(/^Discount \(%\)/).fill('20');
    await look('console-voucher');
    await page.getByRole('button', { name: 'Add voucher' }).click();
    await page.getByText('WELCOME-20').waitFor();
    await look('console-vouchers');
    await page.getByRole('link', { name: 'Gifts' }).click();
    await look('console-gifts');

    await open('/console/restrictions');
    await page.getByLabel('Minimum age for all items').fill('18');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await page.getByLabel('Minimum age for all items').inputValue()).toBe('18');
    await page.getByRole('link', { name: 'Add country set' }).click();
    await page.getByLabel('Name').fill('Home');
    await page.getByLabel('Countries').fill('DE, AT');
    await page.getByRole('button', { name: 'Add country set' }).click();
    await page.getByRole('cell', { name: 'Austria, Germany' }).waitFor();
    await look('console-restrictions');

    await open('/console/settings');
    await page.getByLabel('Retry days').fill('1, 4, 9');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await page.getByLabel('Retry days').inputValue()).toBe('1, 4, 9');
    await look('console-settings');
    for (const tab of ['apps', 'followers', 'stores', 'stores/apple', 'features']) {
      await open(`/console/settings/${tab}`);
      await look(`console-settings-${tab.replace('/', '-')}`);
    }

    await open('/console/test-clock');
    await page.getByRole('button', { name: '1 week' }).click();
    await page.getByText('7 days').waitFor();
    await look('console-clock');
    await open('/console/test-mailbox');
    await look('console-mailbox');
    await open('/console/audit');
    await look('console-audit');
    for (const path of ['items', 'subscriptions']) {
      await open(`/console/${path}`);
      await look(`console-${path}-empty`);
    }
  });

  test('branding is seen before it is saved', async () => {
    visitor = await chromium.newVisitor();
    const { page } = visitor;
    const merchant = await register(`merchant-${randomUUID()}@example.org`);
    await open('/console/branding');
    await page.getByLabel('Name').fill('Evening Kick');
    await page.getByLabel('Buttons', { exact: true }).fill('#7c2d12');
    const preview = page.frameLocator('iframe');
    await preview.locator('.brand', { hasText: 'Evening Kick' }).waitFor();
    // Each change loads another frame. A frame that is replaced during a look gives no answer.
    const isOf = (what: string, colour: string) =>
      until(
        async () =>
          (await preview
            .locator(what)
            .evaluate(colourOf)
            .catch(() => undefined)) === colour,
      );
    await isOf('.button.main', 'rgb(124, 45, 18)');
    await page.getByLabel('Dark mode').check();
    await isOf('body', 'rgb(17, 17, 19)');
    await look('console-branding');
    await page.route('https://pictures.example.org/*', (route) =>
      route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
    );
    await page.getByLabel('Logo URL').fill('https://pictures.example.org/logo.svg');
    await page.getByLabel('Cover photo URL').fill('https://pictures.example.org/cover.svg');
    await page.getByLabel('Terms URL').fill('https://example.org/terms');
    await page.getByLabel('Footer').fill('<p>Daily Kick</p>');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const saved = async () => (await call(app, 'GET', `/branding/paywall/${merchant.uuid}/default`)).body;
    expect(await saved()).toMatchObject({
      brand_name: 'Evening Kick',
      dark_mode: true,
      paywall_cover_photo: 'https://pictures.example.org/cover.svg',
    });
    for (const name of ['Logo URL', 'Cover photo URL', 'Terms URL', 'Footer']) await page.getByLabel(name).fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await until(async () => (await saved())['terms_url'] === '');
    const none = { paywall_brand_logo: '', paywall_cover_photo: '', terms_url: '', paywall_footer: '' };
    expect(await saved()).toMatchObject({ brand_name: 'Evening Kick', dark_mode: true, ...none });

    const { id } = await createItem(app, merchant);
    await createFee(app, merchant, id);
    await open(`/paywall/${merchant.uuid}/${id}`);
    expect(await page.locator('body').evaluate(colourOf)).toBe('rgb(17, 17, 19)');
    await look('paywall-dark');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Password').waitFor();
    await look('paywall-dark-sign-in');
  });

  test('from the right, in Arabic', async () => {
    visitor = await chromium.newVisitor({ language: 'ar' });
    const { page } = visitor;
    await open('/console/sign-in');
    await open('/console/register');
    await page.getByLabel('اسم الشركة أو الاسم الكامل').fill('Daily Kick');
    await page.getByLabel('البريد الإلكتروني').fill(`merchant-${randomUUID()}@example.org`);
    await page.getByLabel('كلمة المرور').fill(password);
    await page.getByRole('button', { name: 'إنشاء حساب' }).click();
    await page.getByRole('heading', { name: 'نظرة عامة' }).waitFor();
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
    await look('console-overview-ar');
    await open('/console/restrictions');
    await look('console-restrictions-ar');
    expect(await heading()).toBe('القيود');
  });

  test('who is signed out is led to the sign-in and back, and a wrong password is said', async () => {
    visitor = await chromium.newVisitor();
    const { page } = visitor;
    const email = `merchant-${randomUUID()}@example.org`;
    await register(email);
    await open('/console/vouchers');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();
    await open('/console/vouchers');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill('not-the-password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('The email or password is incorrect.').waitFor();
    visitor.complaints.length = 0;
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Vouchers' }).waitFor();
  });
});
