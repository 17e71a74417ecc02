import { call } from '../../support/client';
import {
  type Chromium,
  clickAway,
  describeInBrowser,
  faultsOf,
  startChromium,
  type Visitor,
} from '../../support/chromium';
import { createPayShop, settles, type SubmittedPayment } from '../../support/payments';
import { blockStripeForm, formSettings, lastAsked, serveStripeForm } from '../../support/stripeForm';
import { startStripeApp, type StripeApp } from '../../support/stripeNotifications';
import { until } from '../../support/until';

/** The page that opens the wallet of an existing app, with the form of Stripe. */

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp(formSettings)));
afterAll(() => app.stop());

const referrer = 'https://shop.example.org/film';

async function beginByWallet(payment_method = 'apple pay on web') {
  const shop = await createPayShop(app);
  await call(app, 'PUT', '/accounts/settings', { payment_methods: ['apple_pay', 'google_pay'] }, shop.merchant);
  const fields = { access_fee_id: shop.fee.id, payment_method, referrer };
  const { body } = await call<SubmittedPayment>(app, 'POST', '/v2/payments', fields, shop.consumer);
  const path = await until(async () => {
    const text = `SELECT redirect_url AS url FROM charges WHERE idempotency_key = $1 AND status = 'requires_action'`;
    const { rows } = await app.pool.query<{ url: string }>(text, [body.transaction]);
    return rows[0] && new URL(rows[0].url).pathname;
  });
  return { id: body.transaction, path };
}

const stateOf = async (id: string) =>
  (await app.pool.query<{ state: string }>('SELECT state FROM payments WHERE token = $1', [id])).rows[0]?.state;

test.each([
  ['apple pay on web', 'en', 'Turn on JavaScript to pay with Apple Pay.'],
  ['google pay on web', 'ar', 'فعّل JavaScript للدفع باستخدام Google Pay.'],
])('200: without a script, the page of %s in %s asks for it, and names no card', async (method, language, text) => {
  const { path } = await beginByWallet(method);
  const { status, body } = await call<string>(app, 'POST', path, undefined, {
    headers: { 'Accept-Language': language, Accept: 'text/html' },
  });
  expect([status, /<noscript><p>([^<]*)<\/p>/.exec(body)?.[1]]).toEqual([200, text]);
});

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

  const pay = (button: 'Pay' | 'Pay with the other card'): Promise<void> =>
    clickAway(
      visitor.page.frameLocator('[data-payment-wallet] iframe').getByRole('button', { name: button, exact: true }),
    );

  test.each(['en-GB', 'ar'])(
    '%s: a declined card is explained, another one pays, and the shop comes back',
    async (tag) => {
      const { id, path } = await beginByWallet();
      const page = await visit(path, tag);
      await page.frameLocator('[data-payment-wallet] iframe').getByRole('button').first().waitFor();
      expect(await faultsOf(visitor, `wallet-${tag}`)).toEqual([]);
      await pay('Pay with the other card');
      await page.getByRole('alert').filter({ hasText: 'Your card was declined.' }).waitFor();
      // The host of the shop does not exist here, so that the browser only asks for it.
      const back = page.waitForRequest((request) => request.url().startsWith(referrer));
      await pay('Pay');
      expect((await back).url()).toMatch(/\?ippwat=ppv&payment_intent=pi_/);
      await settles(app, id, 'paid');
    },
  );

  test.each([
    ['apple pay on web', { applePay: 'always' }],
    ['google pay on web', { googlePay: 'always' }],
  ])('%s: the page has the button of this wallet alone, and no field for a card', async (method, only) => {
    const { path } = await beginByWallet(method);
    const page = await visit(path, 'en-GB');
    await page.locator('[data-payment-wallet] iframe').waitFor();
    const { kind, paymentMethods } = await lastAsked(page);
    expect(kind).toBe('expressCheckout');
    const never = ['amazonPay', 'applePay', 'googlePay', 'klarna', 'link', 'paypal'].map((name) => [name, 'never']);
    expect(paymentMethods).toEqual({ ...Object.fromEntries(never), ...only });
    expect(await page.locator('main input:not([type=hidden])').count()).toBe(0);
  });

  test.each([
    ['en-GB', 'Apple Pay is not available here.'],
    ['ar', 'لا تتوفر Apple Pay هنا.'],
  ])('%s: a device without the wallet is told so, and nothing is charged', async (tag, text) => {
    const { id, path } = await beginByWallet();
    const page = await visit(path, tag, async (context, stripe) => {
      await serveStripeForm(context, stripe);
      await context.addInitScript('window.hasNoWallet = true');
    });
    await page.getByRole('alert').filter({ hasText: text }).waitFor();
    expect(await faultsOf(visitor, `wallet-missing-${tag}`)).toEqual([]);
    expect(await stateOf(id)).toBe('incomplete');
  });

  test('a blocked script of the provider is explained, and nothing is charged', async () => {
    const { id, path } = await beginByWallet();
    const page = await visit(path, 'en-GB', blockStripeForm);
    await page.getByRole('alert').filter({ hasText: 'js.stripe.com' }).waitFor();
    expect(await stateOf(id)).toBe('incomplete');
  });
});
