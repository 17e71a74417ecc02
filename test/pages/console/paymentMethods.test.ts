import { type Chromium, describeInBrowser, startChromium, type Visitor } from '../../support/chromium';
import { call } from '../../support/client';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let chromium: Chromium;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const enabled = async (merchant: Person) =>
  (await call<{ payment_methods: string[] }>(app, 'GET', '/accounts/settings', undefined, merchant)).body
    .payment_methods;

describeInBrowser('the payment methods in the console', () => {
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  const { look, enter } = consoleVisitor(
    () => app,
    () => visitor,
  );

  test('methods are switched on and off, and one must remain', async () => {
    const merchant = await createMerchant(app);
    visitor = await chromium.newVisitor();
    const { page } = visitor;
    await enter(merchant.email);
    await page.goto(`${new URL(page.url()).origin}/console/settings/payments`);
    const form = page.locator('form[action$="/payments/methods"]');
    const save = () => form.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('iDEAL').check();
    await page.getByLabel('Bancontact').check();
    await page.getByLabel('PayPal').check();
    await look('console-payment-methods');
    await save();
    await page.getByText('Saved').first().waitFor();
    expect(await enabled(merchant)).toEqual(['card', 'ideal', 'bancontact', 'paypal']);
    for (const name of ['Cards', 'iDEAL', 'Bancontact', 'PayPal']) await page.getByLabel(name).uncheck();
    await save();
    await form.locator('.complaint, .alert').first().waitFor();
    await look('console-payment-methods-none');
    expect(await enabled(merchant)).toEqual(['card', 'ideal', 'bancontact', 'paypal']);
  });
});
