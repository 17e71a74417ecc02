import { createPayShop, paid } from '../../support/payments';
import { intentOf, startStripeApp, type StripeApp } from '../../support/stripeNotifications';

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp()));
afterAll(() => app.stop());

test('what Stripe was paid for an account that was erased before we heard of it goes back', async () => {
  const shop = await createPayShop(app);
  const token = await paid(app, shop);
  const { id } = await intentOf(app.stripe, token);
  // As after an erasure that began during the charge: its success was not recorded.
  await app.pool.query(
    `UPDATE charges SET status = 'declined', decline_reason = 'account_erased', reference = NULL WHERE account_id = $1`,
    [shop.consumer.id],
  );
  await app.pool.query(`UPDATE cards SET token = 'erased:' || id WHERE account_id = $1`, [shop.consumer.id]);
  app.stripe.customers.clear();
  const { reconcileCharges } = await import('../../../src/subscriptions/provider/reconciliation.js');
  expect(await reconcileCharges()).toMatchObject({ returned: [expect.stringContaining(token) as string] });
  expect(app.stripe.refunds).toMatchObject([{ payment_intent: id, amount: 450 }]);
  expect(await reconcileCharges()).toMatchObject({ returned: [] });
  expect(app.stripe.refunds).toHaveLength(1);
});
