import { call } from '../../support/client';
import { createShop, reaches, type Shop, type Submitted } from '../../support/factories';
import { createPayShop, settles, withFee, type SubmittedPayment } from '../../support/payments';
import { type ErrorBody } from '../../support/raw';
import { createLinkToken, formSettings } from '../../support/stripeForm';
import { startStripeApp, type StripeApp } from '../../support/stripeNotifications';
import { passDays } from '../../support/testClock';
import { until } from '../../support/until';

/** Link at Stripe: a confirmation token of the type `link` of Stripe's form. */

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp(formSettings)));

afterAll(() => app.stop());

async function openShop(kind: 'subscription' | 'payment', fee: Record<string, unknown> = {}): Promise<Shop> {
  const shop = await (kind === 'subscription' ? createShop(app, fee) : createPayShop(app, fee));
  await call(app, 'PUT', '/accounts/settings', { payment_methods: ['card', 'link'] }, shop.merchant);
  return shop;
}

async function buy<T>({ fee, consumer }: Shop, path: string) {
  const payment_token = await createLinkToken(app.stripe, consumer.email);
  return call<T>(app, 'POST', path, { access_fee: fee.id, payment_token }, consumer);
}

const sentUnder = (key: string) => app.stripe.sent.filter((one) => one.key === key).map(({ fields }) => fields);

test('202: it pays the first period, is stored, and pays the renewal without the payer', async () => {
  const shop = await openShop('subscription');
  const { body } = await buy<Submitted>(shop, '/subscriptions');
  const { subscription_id: id } = body;
  await reaches(app, shop.consumer, id, 'active');
  const [first] = sentUnder(`${id}:1:1`);
  expect(first).toMatchObject({ allowed_payment_method_types: ['link'], setup_future_usage: 'off_session' });
  expect(first?.['confirmation_token']).toMatch(/^ctoken_/);
  const { rows } = await app.pool.query('SELECT method, brand, last_four, token FROM cards WHERE account_id = $1', [
    shop.consumer.id,
  ]);
  const token = expect.stringMatching(/^link:cus_.+\/pm_/) as string;
  expect(rows).toEqual([{ method: 'link', brand: 'link', last_four: '', token }]);
  await passDays(app, shop.merchant, 32);
  await until(() => sentUnder(`${id}:2:1`).length > 0);
  await reaches(app, shop.consumer, id, 'active');
  const [renewal] = sentUnder(`${id}:2:1`);
  expect(renewal).toMatchObject({ allowed_payment_method_types: ['link'], off_session: 'true' });
  expect(renewal?.['payment_method']).toMatch(/^pm_/);
});

test('202: a trial sets it up, and it pays when the trial ends', async () => {
  const shop = await openShop('subscription', { trial_period_quantity: 7, trial_period_period: 'day' });
  const { body } = await buy<Submitted>(shop, '/subscriptions');
  await reaches(app, shop.consumer, body.subscription_id, 'trialing');
  const setup = app.stripe.sent.findLast(({ path }) => path === '/v1/setup_intents')?.fields;
  expect(setup).toMatchObject({ allowed_payment_method_types: ['link'], usage: 'off_session' });
  await passDays(app, shop.merchant, 8);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
});

test('200: it pays once, and pays a second purchase without a new token', async () => {
  const shop = await openShop('payment');
  const { body } = await buy<SubmittedPayment>(shop, '/v2/payments');
  await settles(app, body.transaction, 'paid');
  // An equal purchase within seconds is a double click.
  const { fee } = await withFee(app, shop, { access_type: 'ppv', quantity: 9, period: 'day' });
  const again = await call<SubmittedPayment>(app, 'POST', '/payments', { access_fee: fee.id }, shop.consumer);
  await settles(app, again.body.transaction, 'paid');
  expect(sentUnder(again.body.transaction)).toMatchObject([
    { allowed_payment_method_types: ['link'], off_session: 'true' },
  ]);
});

test('422 payment_method_not_offered: the merchant has not enabled Link, and nothing is charged', async () => {
  const shop = await createShop(app);
  const { status, body } = await buy<ErrorBody>(shop, '/subscriptions');
  expect([status, body.error]).toEqual([422, 'payment_method_not_offered']);
  expect((await app.pool.query('SELECT FROM cards WHERE account_id = $1', [shop.consumer.id])).rowCount).toBe(0);
});
