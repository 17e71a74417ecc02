import { call } from '../../support/client';
import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { cards } from '../../support/factories';
import { createPayShop, settles, type SubmittedPayment } from '../../support/payments';
import { blockStripeForm, formSettings, serveStripeForm } from '../../support/stripeForm';
import { startStripeApp, type StripeApp } from '../../support/stripeNotifications';
import { until } from '../../support/until';

/** The page that opens the wallet of an existing app, with the form of Stripe. */

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp(formSettings)));
afterAll(() => app.stop());

const referrer = 'https://shop.example.org/film';

async function beginByWallet() {
  const shop = await createPayShop(app);
  await call(app, 'PUT', '/accounts/settings', { payment_methods: ['card', 'apple_pay'] }, shop.merchant);
  const fields = { access_fee_id: shop.fee.id, payment_method: 'apple pay on web', referrer };
  const { body } = await call<SubmittedPayment>(app, 'POST', '/v2/payments', fields, shop.consumer);
  const path = await until(async () => {
    const text = `SELECT redirect_url AS url FROM charges WHERE idempotency_key = $1 AND status = 'requires_action'`;
    const { rows } = await app.pool.query<{ url: string }>(text, [body.transaction]);
    return rows[0] && new URL(rows[0].url).pathname;
  });
  return { id: body.transaction, path };
}

describeInBrowser('in a browser', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  async function visit(path: string, language: string, serve = serveStripeForm) {
    visitor = await chromium.newVisitor({ language });
    const { context, page } = visitor;
    await serve(context, app.stripe);
    await page.goto(`${app.address}${path}`);
    await page.locator('form[method=post] button').click();
    return page;
  }

  const pay = async (number: string): Promise<void> => {
    const { page } = visitor;
    await page.frameLocator('[data-payment-wallet] iframe').getByLabel('Card number').fill(number);
    await page.locator('[data-payment-confirm]').press('Enter');
  };

  test.each(['en-GB', 'ar'])(
    '%s: a declined card is explained, another one pays, and the shop comes back',
    async (tag) => {
      const { id, path } = await beginByWallet();
      const page = await visit(path, tag);
      await page.frameLocator('[data-payment-wallet] iframe').getByLabel('Card number').waitFor();
      expect(await faultsOf(visitor, `wallet-${tag}`)).toEqual([]);
      await pay(cards.declined);
      await page.getByRole('alert').filter({ hasText: 'Your card was declined.' }).waitFor();
      // The host of the shop does not exist here, so that the browser only asks for it.
      const back = page.waitForRequest((request) => request.url().startsWith(referrer));
      await pay(cards.success);
      expect((await back).url()).toMatch(/\?ippwat=ppv&payment_intent=pi_/);
      await settles(app, id, 'paid');
    },
  );

  test('a blocked script of the provider is explained, and nothing is charged', async () => {
    const { id, path } = await beginByWallet();
    const page = await visit(path, 'en-GB', blockStripeForm);
    await page.getByRole('alert').filter({ hasText: 'js.stripe.com' }).waitFor();
    const text = 'SELECT state FROM payments WHERE token = $1';
    expect((await app.pool.query(text, [id])).rows).toEqual([{ state: 'incomplete' }]);
  });
});
