import { type Page } from 'playwright-core';
import ar from '../../../src/pages/locales/ar.json';
import en from '../../../src/pages/locales/en.json';
import { call } from '../../support/client';
import {
  type Chromium,
  describeInBrowser,
  faultsOf,
  pressInFrame,
  startChromium,
  untilTrue,
  type Visitor,
} from '../../support/chromium';
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
import { type OtherSite, startOtherSite } from '../../support/otherSite';
import {
  contentOf,
  createBrandedMerchant,
  heading,
  payBelowForm,
  paywallOf,
  registerAt,
  showPictures,
} from '../../support/paywall';
import {
  blockStripeForm,
  createPaymentToken,
  formSettings,
  lastAsked,
  serveStripeForm,
  typeInForm,
} from '../../support/stripeForm';
import { receives } from '../../support/mailbox';
import { startStripeApp, type StripeApp } from '../../support/stripeNotifications';

let app: StripeApp;
let chromium: Chromium;

beforeAll(async () => (app = await startStripeApp(formSettings)));
afterAll(() => app.stop());

async function openShop(fee: Record<string, unknown> = {}) {
  const merchant = await createBrandedMerchant(app);
  const item = await createItem(app, merchant, { title: 'Cup final', content: '<p>3:2 after extra time</p>' });
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

describeInBrowser('the provider’s form in a browser', () => {
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  async function visit(address: string, language = 'en-GB', serve = serveStripeForm): Promise<Visitor> {
    visitor = await chromium.newVisitor({ language });
    await showPictures(visitor.page);
    await serve(visitor.context, app.stripe);
    await visitor.page.goto(address);
    return visitor;
  }

  const look = async (name: string, expected?: RegExp) =>
    expect([name, await faultsOf(visitor, name, expected)]).toEqual([name, []]);

  const alertOf = (page: Page, text: string | RegExp) => page.getByRole('alert').filter({ hasText: text });
  const intents = () => [...app.stripe.intents.values()];
  const purchases = async (itemId: number) =>
    (await app.pool.query<{ state: string }>('SELECT state FROM subscriptions WHERE item_id = $1', [itemId])).rows;

  test('from the first visit to the unlocked content, and no card number reaches the service', async () => {
    const shop = await openShop();
    const { page } = await visit(paywallOf(app, shop));
    const sent: string[] = [];
    const loaded: string[] = [];
    page.on('request', (request) => {
      if (request.resourceType() === 'script') loaded.push(request.url());
      if (request.url().startsWith(app.address)) sent.push(`${request.url()} ${request.postData() ?? ''}`);
    });
    await registerAt(page);
    await typeInForm(page);
    await look('stripe-checkout');
    expect(loaded.filter((address) => address.startsWith('https://js.stripe.com/'))).toHaveLength(1);
    expect(await lastAsked(page)).toMatchObject({
      key: 'pk_test_1',
      mode: 'payment',
      amount: 999,
      currency: 'eur',
      setupFutureUsage: 'off_session',
      paymentMethodTypes: ['card'],
      locale: 'en',
    });
    await payBelowForm(page);
    await page.getByText('Thank you. You now have access.').waitFor();
    await contentOf(visitor).getByText('3:2 after extra time').waitFor();
    expect(sent.filter((one) => one.includes(cards.success))).toEqual([]);
    expect(sent.filter((one) => /payment_token=ctoken_/.test(one))).toHaveLength(1);
    await look('stripe-content');
  });

  test('a form without a card says so and sends nothing; a declined card says why, and another card pays', async () => {
    const shop = await openShop();
    const { page } = await visit(paywallOf(app, shop));
    await registerAt(page);
    await page.frameLocator('[data-payment-form] iframe').getByLabel('Card number').waitFor();
    await payBelowForm(page);
    await alertOf(page, 'Your card number is incomplete.').waitFor();
    await look('stripe-incomplete');
    expect(await purchases(shop.item.id)).toEqual([]);
    await typeInForm(page, cards.insufficientFunds);
    await payBelowForm(page);
    await alertOf(page, /insufficient funds|declined/).waitFor();
    await look('stripe-declined');
    await typeInForm(page, cards.success);
    await payBelowForm(page);
    await contentOf(visitor).getByText('3:2 after extra time').waitFor();
  });

  test('two presses are one purchase', async () => {
    const shop = await openShop();
    const { page } = await visit(paywallOf(app, shop));
    await registerAt(page);
    await typeInForm(page);
    await page.evaluate(
      `(() => { const form = document.forms.checkout; const button = form.querySelector('button[value=pay]'); form.requestSubmit(button); form.requestSubmit(button); })()`,
    );
    await contentOf(visitor).getByText('3:2 after extra time').waitFor();
    expect(await purchases(shop.item.id)).toHaveLength(1);
  });

  test.each([
    ['en-GB', 'en', 'The payment form could not be loaded.'],
    ['ar', 'ar', 'تعذّر تحميل نموذج الدفع.'],
  ] as const)('%s: a blocked script is explained, and nothing is sent', async (tag, language, text) => {
    const shop = await openShop();
    const { page } = await visit(paywallOf(app, shop), tag, blockStripeForm);
    await registerAt(page, language);
    await alertOf(page, text).waitFor();
    await payBelowForm(page);
    // The text is shown again, and takes the focus.
    await untilTrue(page, `document.activeElement.matches('[data-payment-error]')`);
    await alertOf(page, text).waitFor();
    expect(await page.locator('[data-payment-form]').isVisible()).toBe(false);
    await look(`stripe-blocked-${language}`, /ERR_BLOCKED_BY_CLIENT/);
    expect(await purchases(shop.item.id)).toEqual([]);
  });

  test('the page keeps the place of the form while its script loads', async () => {
    const shop = await openShop();
    const { promise: isReleased, resolve: release } = Promise.withResolvers<undefined>();
    const { page } = await visit(paywallOf(app, shop), 'en-GB', async (context, stripe) => {
      await serveStripeForm(context, stripe);
      await context.route('https://js.stripe.com/v3/', (route) => isReleased.then(() => route.fallback()));
    });
    await registerAt(page);
    const place = page.locator('[data-payment-form]');
    const animation = () =>
      page.evaluate("getComputedStyle(document.querySelector('[data-payment-form]')).animationName");
    expect([(await place.boundingBox())?.height, await animation()]).toEqual([152, 'breathe']);
    release(undefined);
    await typeInForm(page);
    expect(await animation()).toBe('none');
  });

  test('in Arabic the form has the language of the page, and the content unlocks', async () => {
    const shop = await openShop();
    const { page } = await visit(paywallOf(app, shop), 'ar');
    await registerAt(page, 'ar');
    await typeInForm(page);
    expect(await lastAsked(page)).toMatchObject({ locale: 'ar' });
    await look('stripe-checkout-ar');
    await payBelowForm(page);
    await contentOf(visitor).getByText('3:2 after extra time').waitFor();
  });

  describe.each(['en', 'ar'] as const)('%s', (language) => {
    const { common, paywall } = { en, ar }[language];
    const tag = language === 'en' ? 'en-GB' : 'ar';

    test('the saved card pays without the form', async () => {
      const shop = await openShop();
      const consumer = await createSubscriber(shop);
      const item = await createItem(app, shop.merchant, { title: 'Semi-final', content: '<p>1:0</p>' });
      await createFee(app, shop.merchant, item.id);
      const { page } = await visit(paywallOf(app, { ...shop, item }), tag);
      await page.getByRole('link', { name: common.signIn }).click();
      await page.locator('#field-username').fill(consumer.email);
      await page.locator('#field-password').fill(password);
      await page.locator('form[name=sign-in] button').click();
      await heading(page, paywall.checkoutTitle).waitFor();
      await look(`stripe-saved-card-${language}`);
      await payBelowForm(page);
      // The browser does not know the card yet.
      await page.getByRole('button', { name: paywall.pinSend }).click();
      const { text = '' } = await receives(app, shop.merchant, consumer.email, 'pin_code');
      await page.locator('#field-pin_code').fill(/\b\d{6}\b/.exec(text)?.[0] ?? '');
      await page.getByRole('button', { name: common.continue }).click();
      await heading(page, paywall.checkoutTitle).waitFor();
      await payBelowForm(page);
      await contentOf(visitor).getByText('1:0').waitFor();
    });

    test('a trial that needs no card begins without the form', async () => {
      const trial = { trial_period_quantity: '7', trial_period_period: 'day', trial_end_behaviour: 'cancel' };
      const { page } = await visit(paywallOf(app, await openShop(trial)), tag);
      await registerAt(page, language);
      await heading(page, paywall.checkoutTitle).waitFor();
      await look(`stripe-trial-${language}`);
      await payBelowForm(page);
      await contentOf(visitor).getByText('3:2 after extra time').waitFor();
    });

    test('another fee has a form with its amount', async () => {
      const shop = await openShop();
      const amount = language === 'en' ? 1999 : 2099;
      const other = { amount: String(amount / 100), description: 'Family pass' };
      await createFee(app, shop.merchant, shop.item.id, other);
      const { page } = await visit(paywallOf(app, shop), tag);
      await registerAt(page, language);
      await page.getByText('Family pass').click();
      await page.locator(`[data-payment-form][data-amount="${amount}"] iframe`).waitFor();
      expect(await lastAsked(page)).toMatchObject({ amount });
      await look(`stripe-other-fee-${language}`);
      await typeInForm(page);
      await payBelowForm(page);
      await contentOf(visitor).getByText('3:2 after extra time').waitFor();
      expect(intents().filter((intent) => intent.amount === amount)).toHaveLength(1);
    });
  });

  test.each(['en-GB', 'ar'])('%s: the portal saves another card', async (language) => {
    const shop = await openShop();
    const consumer = await createSubscriber(shop);
    const { page } = await visit(`${app.address}/portal/${shop.merchant.uuid}`, language);
    await page.locator('#field-username').fill(consumer.email);
    await page.locator('#field-password').fill(password);
    await page.locator('form[name=sign-in] button').click();
    await page.locator('.portal-menu a[href$="/card"]').click();
    await typeInForm(page, '5555555555554444');
    expect(await lastAsked(page)).toMatchObject({ mode: 'setup', currency: 'eur' });
    await look(`stripe-portal-card-${language}`);
    await page.locator('form[name=card] button').press('Enter');
    await page.getByText(/4444/).waitFor();
    await look(`stripe-portal-saved-${language}`);
  });

  describe('on a page of another site', () => {
    let site: OtherSite;
    let content = '';
    beforeAll(async () => (site = await startOtherSite(() => content)));
    afterAll(() => site.stop());

    test('the checkout opens in a window of its own, and the frame unlocks', async () => {
      const shop = await openShop();
      content = `<!doctype html><title>News</title><script src="${app.address}/embed.js"></script>
        <div data-paywall-merchant="${shop.merchant.uuid}" data-paywall-item="${shop.item.id}" data-paywall-inline></div>`;
      const { page, context } = await visit(site.address);
      const frame = page.frameLocator('div iframe');
      await registerAt(frame);
      const opening = context.waitForEvent('page');
      await pressInFrame(frame.getByRole('link', { name: 'Continue to payment' }));
      const own = await opening;
      await heading(own, 'Checkout').waitFor();
      await typeInForm(own);
      await payBelowForm(own);
      await own.getByText('Thank you. You now have access.').waitFor();
      await frame.getByText('Thank you. You now have access.').waitFor();
    });
  });
});
