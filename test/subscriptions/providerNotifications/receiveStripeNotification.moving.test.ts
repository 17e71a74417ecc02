import { call } from '../../support/client';
import { reaches, subscribe } from '../../support/factories';
import { beginMove } from '../../support/installations';
import { createRedirectShop } from '../../support/redirects';
import { notify, startStripeApp, type StripeApp } from '../../support/stripeNotifications';

/** A merchant that moves to another installation uses the Stripe account of this one. */

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp()));
afterAll(() => app.stop());

async function subscribed() {
  const shop = await createRedirectShop(app, 'subscription');
  const { subscription_id: id } = (await subscribe(app, shop, '4242424242424242')).body;
  await reaches(app, shop.consumer, id, 'active');
  return { shop, id };
}

test('503 service_unavailable: a method is agreed while its merchant moves, and is told again', async () => {
  const { shop, id } = await subscribed();
  const path = `/v2/subscriptions/${id}/payment-method`;
  const { body } = await call<{ pi_id: string }>(app, 'PUT', path, { payment_method: 'ideal' }, shop.consumer);
  app.stripe.answerAuthentication(body.pi_id, true);
  const told = { type: 'setup_intent.succeeded', object: { id: body.pi_id } };
  const statusOf = async () => {
    const text = 'SELECT status FROM card_setups WHERE reference = $1';
    return (await app.pool.query<{ status: string }>(text, [body.pi_id])).rows[0]?.status;
  };
  const stay = await beginMove(app, shop.merchant);
  expect((await notify(app, told)).status).toBe(503);
  expect(await statusOf()).toBe('requires_action');
  await stay();
  expect((await notify(app, told)).status).toBe(200);
  expect(await statusOf()).toBe('verified');
});

test('503 service_unavailable: a bank replaces a card while its merchant moves, and nothing is kept', async () => {
  const { shop } = await subscribed();
  const cardOf = async () => {
    const text = 'SELECT token, last_four FROM cards WHERE account_id = $1';
    const { rows } = await app.pool.query<{ token: string; last_four: string }>(text, [shop.consumer.id]);
    if (!rows[0]) throw new Error('the customer has no card');
    return rows[0];
  };
  const before = await cardOf();
  const [customer, method] = before.token.split('/');
  const card = { last4: '9424', brand: 'visa', exp_month: 3, exp_year: 2044, fingerprint: 'renewed' };
  const told = {
    id: 'evt_replaced',
    type: 'payment_method.automatically_updated',
    object: { id: method, object: 'payment_method', customer, card },
  };
  const stay = await beginMove(app, shop.merchant);
  expect((await notify(app, told)).status).toBe(503);
  expect(await cardOf()).toEqual(before);
  await stay();
  expect((await notify(app, told)).status).toBe(200);
  expect((await cardOf()).last_four).toBe('9424');
});
