import { faultsWhileRevoked } from '../../support/misconfigured';
import { createPayShop, pay, settles } from '../../support/payments';
import { startStripeApp, type StripeApp } from '../../support/stripeNotifications';

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp()));
afterAll(() => app.stop());

test('402 provider_misconfigured: the key of Stripe is revoked; nothing begins until it is fixed, and the merchant gets one mail', async () => {
  const shop = await createPayShop(app);
  expect(await faultsWhileRevoked(app, shop.merchant, () => pay(app, shop))).toEqual([]);
  const { rows } = await app.pool.query('SELECT 1 FROM payments WHERE account_id = $1', [shop.consumer.id]);
  expect(rows).toEqual([]);
  await settles(app, (await pay(app, shop)).body.transaction, 'paid');
});
