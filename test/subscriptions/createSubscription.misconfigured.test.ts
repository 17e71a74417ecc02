import { randomUUID } from 'node:crypto';
import { call } from '../support/client';
import { createShop, purchase, reaches, subscribe } from '../support/factories';
import { faultsWhileRevoked } from '../support/misconfigured';
import { startStripeApp, type StripeApp } from '../support/stripeNotifications';

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp()));
afterAll(() => app.stop());

test('402 provider_misconfigured: the key of Stripe is revoked; nothing begins until it is fixed, and the merchant gets one mail', async () => {
  const shop = await createShop(app);
  expect(await faultsWhileRevoked(app, shop.merchant, () => subscribe(app, shop))).toEqual([]);
  const { rows } = await app.pool.query('SELECT 1 FROM subscriptions WHERE account_id = $1', [shop.consumer.id]);
  expect(rows).toEqual([]);
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
});

test('202: the same key that was answered 402 provider_misconfigured works once the key of Stripe is valid again', async () => {
  const shop = await createShop(app);
  const headers = { 'Idempotency-Key': randomUUID() };
  const send = () =>
    call<{ subscription_id: string }>(app, 'POST', '/subscriptions', purchase(shop), {
      token: shop.consumer.token,
      headers,
    });
  expect(await faultsWhileRevoked(app, shop.merchant, send)).toEqual([]);
  const { status, body } = await send();
  expect(status).toBe(202);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
});
