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

test('503 service_unavailable: a warning about a charge whose reference is not stored yet is told again, and counts then', async () => {
  const { shop, account, id, intentId, tell } = await subscribeInOwnShop(app);
  await call(app, 'PUT', '/accounts/settings', { refund_fraud_warnings: 'true' }, shop.merchant);
  const change = (fields: string) =>
    app.pool.query(`UPDATE charges SET ${fields} WHERE merchant_id = $1`, [shop.merchant.id]);
  await change("status = 'open', reference = NULL, opened_at = now()");
  const told = { id: 'issfr_5', actionable: true };
  const refused = await tell(warning, told);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
  // Nothing is kept, and a charge of the hour before that never got an answer refuses nothing.
  await change("opened_at = now() - interval '61 minutes'");
  expect((await tell(warning, { id: 'issfr_6', actionable: true })).status).toBe(200);
  await change(`status = 'paid', reference = '${intentId}'`);
  expect((await tell(warning, told)).status).toBe(200);
  await reaches(app, shop.consumer, id, 'revoked');
  expect(account.refunds).toMatchObject([{ payment_intent: intentId }]);
});
