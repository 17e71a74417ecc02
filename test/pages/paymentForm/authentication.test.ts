import { type Page } from 'playwright-core';
import { call } from '../../support/client';
import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import {
  cards,
  createConsumer,
  createFee,
  createItem,
  password,
  reaches,
  type Person,
  type Shop,
  type Submitted,
} from '../../support/factories';
import {
  contentOf,
  createBrandedMerchant,
  heading,
  isolate,
  payBelowForm,
  paywallOf,
  registerAt,
  showPictures,
} from '../../support/paywall';
import {
  answerChallenge,
  createPaymentToken,
  formSettings,
  serveStripeForm,
  typeInForm,
} from '../../support/stripeForm';
import { startStripeApp, type StripeApp } from '../../support/stripeNotifications';

/** The bank asks the payer to authenticate, and Stripe's script does it on our pages. Failures are tested too. */

let app: StripeApp;
let chromium: Chromium;

beforeAll(async () => (app = await startStripeApp(formSettings)));
afterAll(() => app.stop());

const content = '3:2 after extra time';
const trial = { trial_period_quantity: '7', trial_period_period: 'day' };

async function openShop(fee: Record<string, unknown> = {}) {
  const merchant = await createBrandedMerchant(app);
  const item = await createItem(app, merchant, { title: 'Cup final', content: `<p>${content}</p>` });
  return { merchant, item, fee: await createFee(app, merchant, item.id, { amount: '9.99', ...fee }) };
}

/** A customer with a saved card. */
async function createSubscriber({ merchant, fee }: Pick<Shop, 'merchant' | 'fee'>): Promise<Person> {
  const consumer = await createConsumer(app, merchant);
  const body = { access_fee: fee.id, payment_token: await createPaymentToken(app.stripe) };
  const { subscription_id: id } = (await call<Submitted>(app, 'POST', '/subscriptions', body, consumer)).body;
  await reaches(app, consumer, id, 'active');
  return consumer;
}

/** The charges of an item at Stripe, by status. */
async function chargesOf(itemId: number): Promise<string[]> {
  const text = 'SELECT token FROM subscriptions WHERE item_id = $1';
  const { rows } = await app.pool.query<{ token: string }>(text, [itemId]);
  const isOf = (key = '') => rows.some(({ token }) => key.startsWith(token));
  const intents = [...app.stripe.intents.values()].filter(({ metadata }) => isOf(metadata['paywall_charge']));
  return intents.map(({ status }) => status).sort();
}

describeInBrowser('an authentication in a browser', () => {
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(async () => {
    app.stripe.mend();
    await visitor.context.close();
  });

  async function visit(address: string, language = 'en-GB'): Promise<Visitor> {
    visitor = await chromium.newVisitor({ language });
    await showPictures(visitor.page);
    await serveStripeForm(visitor.context, app.stripe);
    await visitor.page.goto(address);
    return visitor;
  }

  async function openCheckout(shop: Awaited<ReturnType<typeof openShop>>, card: string, language = 'en-GB') {
    const { page } = await visit(paywallOf(app, shop), language);
    await registerAt(page, language.slice(0, 2) as 'en' | 'ar');
    await typeInForm(page, card);
    return page;
  }

  const look = async (name: string, expected?: RegExp) =>
    expect([name, await faultsOf(visitor, name, expected)]).toEqual([name, []]);
  const isOpened = () => contentOf(visitor).getByText(content).waitFor();
  const alertOf = (page: Page, text: string | RegExp) => page.getByRole('alert').filter({ hasText: text });
  const openAgain = (page: Page) => page.locator('[data-payment-again]').click();

  test.each(['en-GB', 'ar'])('%s: the payer authenticates on the page, and the content unlocks', async (language) => {
    const shop = await openShop();
    const page = await openCheckout(shop, cards.needsAuthentication, language);
    await payBelowForm(page);
    await page.locator('iframe[name=challenge]').waitFor();
    await look(`stripe-challenge-${language}`);
    await answerChallenge(page, 'Complete');
    await isOpened();
    expect(await chargesOf(shop.item.id)).toEqual(['succeeded']);
  });

  test('a payer who closes the question is asked again; one who fails it pays with another card', async () => {
    const shop = await openShop();
    const page = await openCheckout(shop, cards.needsAuthentication);
    await payBelowForm(page);
    await answerChallenge(page, 'Close');
    await alertOf(page, 'You have not confirmed yet. Nothing was charged.').waitFor();
    await look('stripe-challenge-again');
    await openAgain(page);
    await answerChallenge(page, 'Fail');
    await alertOf(page, /Refused|authenticat/).waitFor();
    await typeInForm(page, cards.success);
    await payBelowForm(page);
    await isOpened();
    expect(await chargesOf(shop.item.id)).toEqual(['requires_payment_method', 'succeeded']);
  });

  test.each(['en-GB', 'ar'])('%s: the card of a trial is authenticated before the trial begins', async (language) => {
    const shop = await openShop(trial);
    const page = await openCheckout(shop, cards.authenticatedOnce, language);
    await payBelowForm(page);
    await page.locator('iframe[name=challenge]').waitFor();
    const states = `SELECT state FROM subscriptions WHERE item_id = $1`;
    expect((await app.pool.query(states, [shop.item.id])).rows).toEqual([{ state: 'incomplete' }]);
    await look(`stripe-trial-challenge-${language}`);
    await answerChallenge(page, 'Complete');
    await isOpened();
    expect(await chargesOf(shop.item.id)).toEqual([]);
  });

  test.each(['en-GB', 'ar'])('%s: a new card in the portal is authenticated before it is used', async (language) => {
    const shop = await openShop();
    const consumer = await createSubscriber(shop);
    const { page } = await visit(`${app.address}/portal/${shop.merchant.uuid}`, language);
    await page.locator('#field-username').fill(consumer.email);
    await page.locator('#field-password').fill(password);
    await page.locator('form[name=sign-in] button').click();
    await page.locator('.portal-menu a[href$="/card"]').click();
    await typeInForm(page, cards.authenticatedOnce);
    await page.locator('form[name=card] button').press('Enter');
    await answerChallenge(page, 'Close');
    await page.locator('[data-payment-error]').filter({ hasText: /\S/ }).waitFor();
    await look(`stripe-portal-challenge-${language}`);
    await openAgain(page);
    await answerChallenge(page, 'Complete');
    await page.getByText(/3155/).waitFor();
    await look(`stripe-portal-authenticated-${language}`);
  });

  test('window closed half-way: the payer comes back, pays with another card, and is charged once', async () => {
    const shop = await openShop();
    const page = await openCheckout(shop, cards.needsAuthentication);
    await payBelowForm(page);
    await page.locator('iframe[name=challenge]').waitFor();
    await page.close();
    const again = await visitor.context.newPage();
    visitor = { ...visitor, page: again };
    await again.goto(paywallOf(app, shop));
    await typeInForm(again);
    await payBelowForm(again);
    await isOpened();
    expect(await chargesOf(shop.item.id)).toEqual(['canceled', 'succeeded']);
  });

  test('two tabs: the second payment is refused with a reason, and the payer is charged once', async () => {
    const shop = await openShop();
    const page = await openCheckout(shop, cards.success);
    const other = await visitor.context.newPage();
    await isolate(other);
    await other.goto(paywallOf(app, shop));
    await typeInForm(other);
    await payBelowForm(page);
    await isOpened();
    await payBelowForm(other);
    await alertOf(other, 'You already have access.').waitFor();
    expect(await chargesOf(shop.item.id)).toEqual(['succeeded']);
  });

  test('back button: a payer who has paid sees the content, and pays nothing again', async () => {
    const shop = await openShop();
    const page = await openCheckout(shop, cards.success);
    await payBelowForm(page);
    await isOpened();
    await page.goto(`${app.address}/portal/${shop.merchant.uuid}`);
    await page.goBack();
    await isOpened();
    expect(await chargesOf(shop.item.id)).toEqual(['succeeded']);
  });

  test('amount changed since the form was shown: the new total is shown, and then paid', async () => {
    const shop = await openShop();
    const page = await openCheckout(shop, cards.success);
    await app.pool.query('UPDATE access_fees SET amount_minor = 1299 WHERE id = $1', [shop.fee.id]);
    await payBelowForm(page);
    await alertOf(page, 'The price has changed. Review it before you pay.').waitFor();
    await look('stripe-price-changed', /409/);
    expect(await chargesOf(shop.item.id)).toEqual([]);
    await page.locator('[data-payment-form][data-amount="1299"] iframe').waitFor();
    await typeInForm(page);
    await payBelowForm(page);
    await isOpened();
  });

  test.each([
    ['en-GB', 'Your card details have expired. Enter your card again.'],
    ['ar', 'انتهت صلاحية بيانات بطاقتك. أدخل بطاقتك مرة أخرى.'],
  ])('%s: a token that has expired on its way is explained, and the same card pays', async (language, text) => {
    const shop = await openShop();
    const page = await openCheckout(shop, cards.success, language);
    await page.route('**/pay', async (route) => {
      app.stripe.expireTokens();
      await route.continue();
    });
    await payBelowForm(page);
    await page.getByText(text).first().waitFor();
    await look(`stripe-token-expired-${language}`, /422/);
    await page.unroute('**/pay');
    await typeInForm(page);
    await payBelowForm(page);
    await isOpened();
  });

  test('provider down: the checkout says so and stays, and the payer pays when it is back', async () => {
    const shop = await openShop();
    const page = await openCheckout(shop, cards.success);
    app.stripe.refuse('/v1/customers', 429, { type: 'invalid_request_error', code: 'rate_limit' });
    await payBelowForm(page);
    await alertOf(page, 'This service is not available right now. Try again in a moment.').waitFor();
    await look('stripe-down', /503/);
    expect(await chargesOf(shop.item.id)).toEqual([]);
    app.stripe.mend();
    app.stripe.forgetKeys();
    await typeInForm(page);
    await payBelowForm(page);
    await isOpened();
    await heading(page, 'Checkout').waitFor({ state: 'detached' });
  });

  test('provider down in the browser: the form says so, and nothing is sent to the service', async () => {
    const shop = await openShop();
    const page = await openCheckout(shop, cards.success);
    await page.route('https://api.stripe.com/**', (route) => route.abort('connectionfailed'));
    await payBelowForm(page);
    await alertOf(page, 'The payment form could not be loaded.').waitFor();
    expect(await chargesOf(shop.item.id)).toEqual([]);
  });
});
