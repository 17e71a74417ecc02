import { createPayShop, paid } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';
import { intentOf, settingsFor } from '../../support/stripeNotifications';
import { startStripeServer, type StripeServer } from '../../support/stripeServer';

let stripe: StripeServer;
let app: TestApp;

beforeAll(async () => {
  stripe = await startStripeServer();
  app = await startApp(settingsFor(stripe));
  await app.startWorker();
});

afterAll(async () => {
  await app.stop();
  await stripe.stop();
});

test('what Stripe was paid for an account that was erased before we heard of it goes back', async () => {
  const shop = await createPayShop(app);
  const token = await paid(app, shop);
  const { id } = await intentOf(stripe, token);
  // As an erasure leaves it that began while the charge was on its way: nobody heard of the success.
  await app.pool.query(
    `UPDATE charges SET status = 'declined', decline_reason = 'account_erased', reference = NULL WHERE account_id = $1`,
    [shop.consumer.id],
  );
  await app.pool.query(`UPDATE cards SET token = 'erased:' || id WHERE account_id = $1`, [shop.consumer.id]);
  stripe.customers.clear();
  const { reconcileCharges } = await import('../../../src/subscriptions/reconciliation/service.js');
  expect(await reconcileCharges()).toMatchObject({ returned: [expect.stringContaining(token) as string] });
  expect(stripe.refunds).toMatchObject([{ payment_intent: id, amount: 450 }]);
  expect(await reconcileCharges()).toMatchObject({ returned: [] });
  expect(stripe.refunds).toHaveLength(1);
});
