import { call } from '../../support/client';
import { charged } from '../../support/debits';
import { reaches, subscribe, type SubscriptionRow } from '../../support/factories';
import { createRedirectShop } from '../../support/redirects';
import { notify, startStripeApp, type StripeApp } from '../../support/stripeNotifications';
import { passDays } from '../../support/testClock';
import { until } from '../../support/until';

/** A running subscription changes to a method with a page of its own at Stripe. */

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp()));
afterAll(() => app.stop());

async function subscribed() {
  const shop = await createRedirectShop(app, 'subscription');
  const { subscription_id: id } = (await subscribe(app, shop, '4242424242424242')).body;
  await reaches(app, shop.consumer, id, 'active');
  const ask = (payment_method: string) =>
    call<{ pi_id: string }>(app, 'PUT', `/v2/subscriptions/${id}/payment-method`, { payment_method }, shop.consumer);
  const row = async () =>
    (await call<SubscriptionRow>(app, 'GET', `/subscriptions/${id}`, undefined, shop.consumer)).body;
  return { shop, id, ask, row };
}

test.each([
  ['ideal', 'Ideal', 'processing'],
  ['paypal', 'PayPal', 'paid'],
] as const)('paid: a subscription changes to %s, and only the notification arrives', async (method, name, renewal) => {
  const { shop, id, ask, row } = await subscribed();
  const { status, body } = await ask(method);
  const { pi_id: reference } = body;
  expect([status, body]).toMatchObject([202, { redirect_to_url: `https://bank.example/${reference}` }]);
  const sent = app.stripe.sent.findLast((one) => one.path === '/v1/setup_intents')?.fields;
  expect(sent).toMatchObject({ allowed_payment_method_types: [method], usage: 'off_session' });
  expect(sent?.['mandate_data']).toMatchObject({ customer_acceptance: { type: 'online' } });
  app.stripe.answerAuthentication(reference, true);
  for (let times = 0; times < 2; times += 1)
    await notify(app, { type: 'setup_intent.succeeded', object: { id: reference } });
  await until(async () => (await row()).payment_method_name === name);
  await passDays(app, shop.merchant, 33);
  await charged(app, id, renewal, '2:1');
});

test('503 service_unavailable: Stripe does not answer, and the subscription keeps its card', async () => {
  const { ask, row } = await subscribed();
  app.stripe.refuse('/v1/setup_intents', 500, { type: 'api_error', message: 'Down.' });
  const { status, body } = await ask('paypal');
  app.stripe.mend();
  expect([status, body]).toMatchObject([503, { error: 'service_unavailable' }]);
  expect((await row()).payment_method_name).toBe('Card');
});

test('402 provider_misconfigured: the account at Stripe has not activated the method', async () => {
  const { ask, row } = await subscribed();
  app.stripe.refuse('/v1/setup_intents', 400, { type: 'invalid_request_error', message: 'Not activated.' });
  const { body } = await ask('ideal');
  app.stripe.mend();
  expect(body).toMatchObject({ error: 'provider_misconfigured' });
  expect((await row()).payment_method_name).toBe('Card');
});
