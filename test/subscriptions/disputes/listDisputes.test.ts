import { listDisputes, opened, subscribeInOwnShop } from '../../support/disputes';
import { createMerchant } from '../../support/factories';
import { startAccountsApp, type AccountsApp } from '../../support/paymentAccounts';
import { mailsTo } from '../../support/ledger';

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp();
  await app.startWorker();
});

afterAll(() => app.stop());

test('200: the reason, the amount, the fee and the deadline; another merchant’s disputes are not there', async () => {
  const { shop, id, tell } = await subscribeInOwnShop(app);
  const dispute = opened();
  expect((await tell('charge.dispute.created', dispute)).status).toBe(200);
  const { total, collection } = await listDisputes(app, shop.merchant);
  expect([total, collection]).toEqual([
    1,
    [
      {
        id: expect.any(Number) as number,
        reference: dispute.id,
        transaction: expect.any(String) as string,
        purchase: id,
        customer_id: shop.consumer.id,
        reason: 'fraudulent',
        status: 'needs_response',
        amount: 9.99,
        currency: 'EUR',
        fee: 15,
        fee_currency: 'EUR',
        opened_at: expect.any(Number) as number,
        due_at: 1_900_000_000,
        evidence_sent_at: 0,
      },
    ],
  ]);
  expect(await listDisputes(app, await createMerchant(app))).toMatchObject({ total: 0, collection: [] });
});

test('200: the merchant gets one mail of a dispute, whatever Stripe reports of it later', async () => {
  const { shop, tell } = await subscribeInOwnShop(app);
  const dispute = opened();
  await tell('charge.dispute.created', dispute);
  await tell('charge.dispute.funds_withdrawn', dispute);
  await tell('charge.dispute.closed', { ...dispute, status: 'won' });
  const mails = await mailsTo(app, shop.merchant.id);
  expect(mails.filter((template) => template === 'dispute_opened')).toHaveLength(1);
  expect((await listDisputes(app, shop.merchant)).collection).toMatchObject([{ status: 'won' }]);
});
