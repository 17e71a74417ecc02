import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createFee, createItem, createMerchant, type Person } from '../../support/factories';
import {
  connect as connectAccount,
  createAccount,
  createShopBelow,
  startAccountsApp,
  tellPlatform,
  type AccountsApp,
} from '../../support/paymentAccounts';
import { paywallOf, registerAt } from '../../support/paywall';
import { lastAsked, serveStripeForm } from '../../support/stripeForm';
import { platformSettings } from '../../support/stripePlatform';

let app: AccountsApp;
let chromium: Chromium;

beforeAll(async () => (app = await startAccountsApp({ CARD_PROVIDER: 'none', BASE_URL: '', ...platformSettings })));
afterAll(() => app.stop());

describeInBrowser('the payment account in the console', () => {
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  const { look, enter } = consoleVisitor(
    () => app,
    () => visitor,
  );

  /** Signs in, and opens the settings through the notice that nothing can be sold. */
  async function openSettings(merchant: Person) {
    visitor = await chromium.newVisitor();
    const { page } = visitor;
    await enter(merchant.email);
    await page.getByText('You cannot sell yet.').waitFor();
    await look('console-overview-no-account');
    await page.getByRole('link', { name: 'Open payment settings' }).click();
    await page.getByRole('heading', { name: 'Connect your Stripe account' }).waitFor();
    return page;
  }

  test('the console says first that an account is needed; a wrong key is named, and the right ones connect', async () => {
    const merchant = await createMerchant(app);
    const account = createAccount(app);
    const page = await openSettings(merchant);
    await look('console-payments-none');
    const connect = async (publishableKey: string) => {
      await page.getByLabel('Publishable key').fill(publishableKey);
      await page.getByLabel('Secret key').fill(account.secretKey);
      await page.getByRole('button', { name: 'Test and save' }).click();
    };
    await connect('pk_test_other');
    await page.getByText('Stripe does not accept this key.').first().waitFor();
    await look('console-payments-wrong-key');
    expect(await page.getByLabel('Publishable key').inputValue()).toBe('pk_test_other');
    expect(await page.getByLabel('Secret key').inputValue()).toBe('');

    await connect(account.publishableKey);
    await page.getByText(account.id).waitFor();
    await page.getByText('is not a public https address').waitFor();
    await look('console-payments-connected');
    expect(await page.content()).not.toContain(account.secretKey);
    expect(await faultsOf(visitor, 'console-payments')).toEqual([]);

    await page.locator('summary').filter({ hasText: 'Disconnect' }).click();
    await look('console-payments-disconnect');
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('You cannot sell yet.').waitFor();
  });

  test('an account below the platform: opened at Stripe, complete after the return, and removed', async () => {
    const merchant = await createMerchant(app);
    const page = await openSettings(merchant);
    await page.getByRole('button', { name: 'Open an account at Stripe' }).click();
    const link = page.getByRole('link', { name: 'Go to Stripe' });
    await link.waitFor();
    await look('console-connect-leave');
    const id = new URL((await link.getAttribute('href')) ?? '').pathname.split('/')[2];
    const account = app.stripe.accounts.find((one) => one.id === id);
    if (!account) throw new Error('no account was opened');

    await page.goto(`${app.address}/console/settings/payments/connected`);
    await page.getByText('Stripe has more questions before you can sell.').waitFor();
    await page.getByText('external_account').waitFor();
    await look('console-connect-onboarding');
    Object.assign(account, { hasAnswered: true, due: [] });
    await page.goto(`${app.address}/console/settings/payments/connected`);
    await page.getByText('The account takes payments.').waitFor();
    await look('console-connect-active');
    expect(await page.getByText('Secret key').count()).toBe(1);

    account.isAuthorized = false;
    await tellPlatform(app, { type: 'account.application.deauthorized', account: account.id, object: {} });
    await page.goto(`${app.address}/console`);
    await page.getByText('payments have stopped').waitFor();
    await page.getByRole('link', { name: 'Open payment settings' }).click();
    await page.getByRole('button', { name: 'Open another account' }).waitFor();
    await look('console-connect-removed');
    expect(await faultsOf(visitor, 'console-connect')).toEqual([]);
  });

  test('the paywall of an account below the platform names the account to the script of Stripe', async () => {
    const { shop, account } = await createShopBelow(app);
    visitor = await chromium.newVisitor();
    await serveStripeForm(visitor.context, app.stripe);
    const { page } = visitor;
    await page.goto(paywallOf(app, shop));
    await registerAt(page);
    await page.locator('[data-payment-form] iframe').waitFor();
    expect(await lastAsked(page)).toMatchObject({ key: account.publishableKey, stripeAccount: account.id });
  });

  test('a paywall takes payments only once its merchant has connected an account', async () => {
    const merchant = await createMerchant(app);
    const item = await createItem(app, merchant);
    await createFee(app, merchant, item.id);
    visitor = await chromium.newVisitor();
    await serveStripeForm(visitor.context, app.stripe);
    const { page } = visitor;
    await page.goto(paywallOf(app, { merchant, item }));
    await registerAt(page);
    await page.getByText('This shop cannot take payments yet.').waitFor();
    await look('paywall-no-account');
    expect(await page.locator('form[name=checkout] button[value=pay]').count()).toBe(0);
    expect(await page.locator('input[name=number]').count()).toBe(0);

    const account = createAccount(app);
    expect((await connectAccount(app, merchant, account)).status).toBe(200);
    await page.reload();
    await page.locator('[data-payment-form] iframe').waitFor();
    expect(await page.locator('[data-payment-form]').getAttribute('data-key')).toBe(account.publishableKey);
  });
});
