import { call } from '../../support/client';
import { subscribeInOwnShop } from '../../support/disputes';
import { reaches } from '../../support/factories';
import { startAccountsApp, type AccountsApp } from '../../support/paymentAccounts';
import { until } from '../../support/until';

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const warning = 'radar.early_fraud_warning.created';

test('200: a payment that is probably fraudulent is refunded once, and its access ends, if the merchant wants it', async () => {
  const { shop, account, id, intentId, tell } = await subscribeInOwnShop(app);
  const on = { refund_fraud_warnings: 'true' };
  expect((await call(app, 'PUT', '/accounts/settings', on, shop.merchant)).body['refund_fraud_warnings']).toBe(true);
  for (const warningId of ['issfr_1', 'issfr_2'])
    expect((await tell(warning, { id: warningId, actionable: true })).status).toBe(200);
  await until(() => account.refunds.length > 0);
  await reaches(app, shop.consumer, id, 'revoked');
  expect(account.refunds).toMatchObject([{ payment_intent: intentId, amount: 999 }]);
});

test('200: without the setting, or if a refund prevents nothing any more, the payment stays', async () => {
  const { shop, account, id, tell } = await subscribeInOwnShop(app);
  expect((await tell(warning, { id: 'issfr_3', actionable: true })).status).toBe(200);
  await call(app, 'PUT', '/accounts/settings', { refund_fraud_warnings: 'true' }, shop.merchant);
  expect((await tell(warning, { id: 'issfr_4', actionable: false })).status).toBe(200);
  const refunds = 'SELECT 1 FROM refunds WHERE merchant_id = $1';
  expect((await app.pool.query(refunds, [shop.merchant.id])).rows).toEqual([]);
  await reaches(app, shop.consumer, id, 'active');
  expect(account.refunds).toEqual([]);
});
