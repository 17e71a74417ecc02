import { call } from '../../support/client';
import { settles } from '../../support/payments';
import { createRedirectShop } from '../../support/redirects';
import { notify, startStripeApp, type StripeApp } from '../../support/stripeNotifications';
import { until } from '../../support/until';

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp()));

afterAll(() => app.stop());

const begin = async (kind: 'payment' | 'subscription') => {
  const shop = await createRedirectShop(app, kind);
  const body = { origin: 'https://shop.example.org', access_fee: shop.fee.id, payment_method: 2 };
  return { shop, reply: await call<{ endpoint: string }>(app, 'POST', '/external-payments', body, shop.consumer) };
};

test('200: our page leads to the page of Stripe, and a notification without a return pays', async () => {
  const { shop, reply } = await begin('payment');
  const address = `${app.address}${new URL(reply.body.endpoint).pathname}`;
  const page = await until(async () => {
    const { status, headers } = await fetch(address, { redirect: 'manual' });
    return status === 303 && (headers.get('location') ?? '');
  });
  const pi = page.split('/').at(-1) ?? '';
  expect(page).toBe(`https://bank.example/${pi}`);
  app.stripe.answerAuthentication(pi, true);
  await notify(app, { type: 'payment_intent.succeeded', object: { id: pi } });
  const { rows } = await app.pool.query<{ token: string }>('SELECT token FROM payments WHERE account_id = $1', [
    shop.consumer.id,
  ]);
  await settles(app, rows[0]?.token ?? '', 'paid');
});

test('402 provider_misconfigured: the account at Stripe has not activated PayPal', async () => {
  app.stripe.refuse('/v1/payment_methods', 400, { type: 'invalid_request_error', message: 'Not activated.' });
  const { shop, reply } = await begin('payment');
  app.stripe.mend();
  expect(reply).toMatchObject({ status: 402, body: { error: 'provider_misconfigured' } });
  const { rows } = await app.pool.query('SELECT 1 FROM payments WHERE account_id = $1', [shop.consumer.id]);
  expect(rows).toEqual([]);
});
