import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import {
  type Chromium,
  describeInBrowser,
  isTooWide,
  photograph,
  seriousBarriers,
  startChromium,
  type Visitor,
} from '../../support/chromium';
import { cards, createConsumer, password, type Person, reaches, subscribe } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let chromium: Chromium;

beforeAll(async () => {
  app = await startApp({ TEMPORAL_UI_URL: 'https://temporal.example' });
  await app.startWorker();
});
afterAll(() => app.stop());

/** Runs in the browser, whose names the compiler does not know here. */
const colourOf = (element: unknown) =>
  (globalThis as unknown as { getComputedStyle(of: unknown): { backgroundColor: string } }).getComputedStyle(element)
    .backgroundColor;

interface Account {
  access_token: string;
  account: { id: number; uuid: string; merchant_uuid: string };
}

describeInBrowser('the console in a browser', () => {
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  /** Every page is usable: nothing serious for axe, nothing wider than a telephone, nothing refused by the policy. */
  async function look(name: string): Promise<void> {
    const { page, complaints } = visitor;
    await photograph(page, name);
    expect([name, await seriousBarriers(page)]).toEqual([name, []]);
    await page.setViewportSize({ width: 320, height: 740 });
    expect([name, await isTooWide(page)]).toEqual([name, false]);
    await page.setViewportSize({ width: 1280, height: 860 });
    // A refused form is a 422, of which a browser makes a note.
    expect([name, complaints.filter((text) => !text.includes('422'))]).toEqual([name, []]);
  }

  const open = (path: string) => visitor.page.goto(`${app.address}${path}`);
  const heading = () => visitor.page.locator('h1').innerText();

  async function register(email: string): Promise<Person> {
    const { page } = visitor;
    await open('/console');
    await page.getByRole('link', { name: 'Register' }).click();
    await page.getByLabel('Company or name').fill('Daily Kick');
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    return signIn(email);
  }

  /** The same merchant as a program. */
  async function signIn(email: string): Promise<Person> {
    const credentials = { client_id: 'platform', grant_type: 'password', username: email, password };
    const { body } = await call<Account>(app, 'POST', '/accounts/authenticate', credentials);
    const { id, uuid, merchant_uuid } = body.account;
    return { token: body.access_token, refreshToken: '', id, uuid, merchantUuid: merchant_uuid, email };
  }

  async function sellAnItem(): Promise<number> {
    const { page } = visitor;
    await page.getByRole('link', { name: 'Add an item' }).click();
    await look('console-item-new');
    await page.getByLabel('Title').fill('Cup final');
    await page.getByLabel('Content').fill('<p>3:2 after extra time</p>');
    await page.getByRole('button', { name: 'Add an item' }).click();
    await page.getByRole('heading', { name: 'Cup final' }).waitFor();
    const itemId = Number(/items\/(\d+)/.exec(page.url())?.[1]);
    await page.getByRole('link', { name: 'Add a fee' }).click();
    await page.getByRole('button', { name: 'Add a fee' }).click();
    await page.getByRole('alert').waitFor();
    await look('console-fee-refused');
    await page.getByLabel('Description').first().fill('Monthly pass');
    await page.getByLabel('Amount').first().fill('9.99');
    await page.getByLabel('Currency').fill('EUR');
    await page.getByRole('button', { name: 'Add a fee' }).click();
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

    await sale.getByRole('link', { name: consumer.email }).click();
    await page.getByRole('heading', { name: 'Everything that happened' }).waitFor();
    const run = page.locator('.timeline').getByRole('link', { name: 'Durable run' }).first();
    expect(await run.getAttribute('href')).toBe(
      `https://temporal.example/namespaces/default/workflows/subscription-${id}`,
    );
    await look('console-customer');

    await page.getByRole('link', { name: 'Transactions' }).click();
    await page.getByRole('link', { name: 'Refund' }).click();
    await look('console-refund');
    await page.getByRole('button', { name: 'Refund' }).click();
    await page.getByText('The refund is on its way.').waitFor();
    await look('console-transactions');

    await open(`/console/subscriptions/${id}`);
    await page.locator('summary', { hasText: 'Cancel' }).click();
    await look('console-subscription');
    await page.getByLabel('When access ends').selectOption('now');
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
    await page.getByLabel('Name, e-mail or number').fill('Ana');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('cell', { name: 'Ana Petrova' }).waitFor();
    await look('console-customers');

    await open('/console/vouchers/new');
    await page.getByLabel('Name').fill('Welcome');
    await page.getByLabel('Code').fill('WELCOME-20');
    await page.getByLabel('Discount in percent').fill('20');
    await look('console-voucher');
    await page.getByRole('button', { name: 'Add a voucher' }).click();
    await page.getByText('WELCOME-20').waitFor();
    await look('console-vouchers');
    await page.getByRole('link', { name: 'Gifts' }).click();
    await look('console-gifts');

    await open('/console/restrictions');
    await page.getByLabel('Minimum age for every item').fill('18');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('Saved.').waitFor();
    expect(await page.getByLabel('Minimum age for every item').inputValue()).toBe('18');
    await page.locator('summary', { hasText: 'Add a set of countries' }).click();
    await page.locator('details[open]').getByLabel('Name').fill('Home');
    await page.locator('details[open]').getByLabel('Countries').fill('DE, AT');
    await page.getByRole('button', { name: 'Add a set of countries' }).click();
    await page.getByRole('cell', { name: 'Austria, Germany' }).waitFor();
    await look('console-restrictions');

    await open('/console/settings');
    await page.getByLabel('Try again after days').fill('1, 4, 9');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await page.getByLabel('Try again after days').inputValue()).toBe('1, 4, 9');
    await look('console-settings');
    for (const tab of ['apps', 'followers', 'stores', 'stores/apple', 'features']) {
      await open(`/console/settings/${tab}`);
      await look(`console-settings-${tab.replace('/', '-')}`);
    }

    await open('/console/test-clock');
    await page.getByRole('button', { name: 'A week' }).click();
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
    await register(`merchant-${randomUUID()}@example.org`);
    await open('/console/branding');
    await page.getByLabel('Name').fill('Evening Kick');
    await page.getByLabel('Buttons', { exact: true }).fill('#7c2d12');
    const preview = page.frameLocator('iframe');
    await preview.locator('.brand', { hasText: 'Evening Kick' }).waitFor();
    const button = preview.locator('.button.main');
    expect(await button.evaluate(colourOf)).toBe('rgb(124, 45, 18)');
    await look('console-branding');
  });

  test('from the right, in Arabic', async () => {
    visitor = await chromium.newVisitor({ language: 'ar' });
    const { page } = visitor;
    await open('/console/sign-in');
    await open('/console/register');
    await page.getByLabel('الشركة أو الاسم').fill('Daily Kick');
    await page.getByLabel('البريد الإلكتروني').fill(`merchant-${randomUUID()}@example.org`);
    await page.getByLabel('كلمة المرور').fill(password);
    await page.getByRole('button', { name: 'تسجيل' }).click();
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
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill('not-the-password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('The e-mail or the password is wrong.').waitFor();
    visitor.complaints.length = 0;
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Vouchers' }).waitFor();
  });
});
