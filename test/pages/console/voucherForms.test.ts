import { call } from '../../support/client';
import { type Chromium, describeInBrowser, startChromium, type Visitor } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createMerchant, type Person, password } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { voucherFields } from '../../support/vouchers';

let app: TestApp;

beforeAll(async () => void (app = await startApp()));
afterAll(() => app.stop());

describeInBrowser('vouchers in the console', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  let merchant: Person;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  beforeEach(async () => (merchant = await createMerchant(app)));
  afterEach(() => visitor.context.close());

  const { open, look, enter } = consoleVisitor(
    () => app,
    () => visitor,
  );

  test('the forms create a voucher with an amount, and a batch of codes', async () => {
    visitor = await chromium.newVisitor();
    await enter(merchant.email);
    const { page } = visitor;
    await open('/console/vouchers/new');
    await page.getByLabel('Name').fill('Welcome');
    await page.getByLabel(/^Discount amount/).fill('5.50');
    await page.getByLabel('Currency').fill('EUR');
    await page.getByLabel('Usage limit per customer').fill('1');
    await page.getByLabel('New customers only').check();
    await look('console-voucher-amount');
    await page.getByRole('button', { name: 'Add voucher' }).click();
    await page.getByText('€5.50').waitFor();
    await page.getByRole('link', { name: 'Batches' }).click();
    await look('console-batches-empty');
    await page.getByRole('link', { name: 'Create batch' }).first().click();
    await page.getByLabel('Name').fill('Fair');
    await page.getByLabel('Number of codes').fill('10001');
    await page.getByLabel(/^Discount \(%\)/).fill('20');
    await page.getByRole('button', { name: 'Create batch' }).click();
    await page.getByRole('alert').waitFor();
    await look('console-batch-refused');
    await page.getByLabel('Number of codes').fill('3');
    await page.getByRole('button', { name: 'Create batch' }).click();
    await page.getByRole('row', { name: 'Fair' }).waitFor();
    await look('console-batches');
    await page.getByRole('link', { name: 'Fair' }).click();
    await page.getByRole('row', { name: 'Fair' }).nth(2).waitFor();
    await look('console-batch-codes');
  });

  test('the forms also work from right to left', async () => {
    visitor = await chromium.newVisitor({ language: 'ar' });
    const { page } = visitor;
    await call(app, 'POST', '/v2/voucher-batches', { ...voucherFields, count: 3 }, merchant);
    await open('/console/sign-in');
    await page.locator('input[name=email]').fill(merchant.email);
    await page.locator('input[name=password]').fill(password);
    await page.locator('form[action="/console/sign-in"] button.main').click();
    await page.waitForURL((url) => url.pathname === '/console');
    for (const [path, name] of [
      ['vouchers/new', 'console-voucher-ar'],
      ['voucher-batches/new', 'console-batch-ar'],
      ['voucher-batches', 'console-batches-ar'],
    ] as const) {
      await open(`/console/${path}`);
      await look(name);
    }
  });
});
