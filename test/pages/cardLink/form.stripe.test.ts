import { call } from '../../support/client';
import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { cards, createConsumer, createFee, createItem, reaches, type Submitted } from '../../support/factories';
import { createBrandedMerchant, showPictures } from '../../support/paywall';
import {
  answerChallenge,
  blockStripeForm,
  createPaymentToken,
  formSettings,
  serveStripeForm,
  typeInForm,
} from '../../support/stripeForm';
import { startStripeApp, type StripeApp } from '../../support/stripeNotifications';
import { until } from '../../support/until';

/** The link of a mail with Stripe's own form, on a page without the script of other pages. */

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp(formSettings)));
afterAll(() => app.stop());

async function linkedPlan() {
  const merchant = await createBrandedMerchant(app);
  const item = await createItem(app, merchant);
  const fee = await createFee(app, merchant, item.id);
  const consumer = await createConsumer(app, merchant);
  const body = { access_fee: fee.id, payment_token: await createPaymentToken(app.stripe) };
  const { subscription_id: id } = (await call<Submitted>(app, 'POST', '/subscriptions', body, consumer)).body;
  await reaches(app, consumer, id, 'active');
  const text = 'SELECT id, card_id AS "cardId" FROM subscriptions WHERE token = $1';
  const { rows } = await app.pool.query<{ id: number; cardId: number }>(text, [id]);
  const { cardUrl } = await import('../../../src/subscriptions/mailLinks/links.js');
  return { id, merchant, path: new URL(cardUrl(rows[0] ?? { id: 0, cardId: 0 })).pathname };
}

const digitsOf = async (id: string) => {
  const text = `SELECT c.last_four FROM subscriptions s JOIN cards c ON c.id = s.card_id WHERE s.token = $1`;
  return (await app.pool.query<{ last_four: string }>(text, [id])).rows[0]?.last_four;
};

describeInBrowser('in a browser', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  async function visit(path: string, serve = serveStripeForm) {
    visitor = await chromium.newVisitor({ language: 'en-GB' });
    await showPictures(visitor.page);
    await visitor.page.route('http://paywall.test/**', (route) => {
      const location = route.request().url().replace('http://paywall.test', app.address);
      return route.fulfill({ status: 302, headers: { location } });
    });
    await serve(visitor.context, app.stripe);
    await visitor.page.goto(`${app.address}${path}`);
    return visitor.page;
  }

  /** By the keyboard, because Chromium may send a click to the frame above the button. */
  const save = () => visitor.page.getByRole('button', { name: 'Save card', disabled: false }).press('Enter');
  /** The page says that the card is updated as soon as it waits for the run of the subscription. */
  const isPaidBy = (id: string, digits: string) => until(async () => (await digitsOf(id)) === digits);

  test('a card is refused by the form, then by the bank, and another one is used; no number reaches the service', async () => {
    const { id, path } = await linkedPlan();
    const page = await visit(path);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
    await page.frameLocator('[data-payment-form] iframe').getByLabel('Card number').waitFor();
    expect(await faultsOf(visitor, 'card-link-stripe')).toEqual([]);
    await save();
    await page.getByText('Your card number is incomplete.').waitFor();
    await typeInForm(page, cards.declined);
    await save();
    await page.getByText('The payment failed.').waitFor();
    await typeInForm(page, '4111111111111111');
    await save();
    await page.getByText('Your card is updated').waitFor();
    await isPaidBy(id, '1111');
    const toService = sent.filter((one) => one.startsWith(app.address));
    expect(toService.filter((one) => one.includes('4111111111111111'))).toEqual([]);
  });

  test('the bank asks for the payer, who confirms on our page', async () => {
    const { id, path } = await linkedPlan();
    const page = await visit(path);
    await typeInForm(page, cards.authenticatedOnce);
    await save();
    await page.getByRole('button', { name: 'Confirm your card' }).click();
    await answerChallenge(page, 'Complete');
    await page.getByText('Your card is confirmed').waitFor();
    await isPaidBy(id, '3155');
    await page.goto(`${app.address}${path}`);
    await page.getByText('Your card is updated').waitFor();
  });

  test('a merchant without cards still replaces the card of a running subscription', async () => {
    const { id, path, merchant } = await linkedPlan();
    await call(app, 'PUT', '/accounts/settings', { payment_methods: ['direct_debit'] }, merchant);
    const page = await visit(path);
    expect(await page.locator('[data-payment-form]').getAttribute('data-methods')).toBe('card');
    await typeInForm(page, '4111111111111111');
    await save();
    await page.getByText('Your card is updated').waitFor();
    await isPaidBy(id, '1111');
  });

  test('a blocked script of the provider is explained, and nothing is sent', async () => {
    const { path } = await linkedPlan();
    const page = await visit(path, blockStripeForm);
    await page.getByRole('alert').filter({ hasText: 'js.stripe.com' }).waitFor();
    await save();
    await page.getByRole('alert').filter({ hasText: 'js.stripe.com' }).waitFor();
    expect(page.url()).toContain(path);
  });
});
