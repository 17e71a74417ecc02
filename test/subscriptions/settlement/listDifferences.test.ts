import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { compare, listDifferences, subscribeLongAgo } from '../../support/differences';
import { createMerchant } from '../../support/factories';
import { createOwnShop, startAccountsApp, type AccountsApp } from '../../support/paymentAccounts';

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp();
  await app.startWorker();
});

afterAll(() => app.stop());

test('200: books that agree have no differences, and the fees of the provider are stored', async () => {
  const { shop, intent } = await subscribeLongAgo(app);
  await compare(app);
  expect(await listDifferences(app, shop.merchant)).toEqual([]);
  const path = '/payments/balance-transactions';
  const { body } = await call<{ collection: object[] }>(app, 'GET', path, undefined, shop.merchant);
  expect(body.collection).toMatchObject([
    { kind: 'charge', payment: intent.id, amount: 9.99, currency: 'EUR', fee: 0.3, fee_currency: 'EUR' },
  ]);
});

test('200: a payment with another amount, and one that the provider does not have', async () => {
  const [other, lost] = [await subscribeLongAgo(app), await subscribeLongAgo(app)];
  other.intent.amount = 899;
  lost.account.books.hidden.add(lost.intent.id);
  await compare(app);
  expect(await listDifferences(app, other.shop.merchant)).toMatchObject([
    {
      kind: 'amount_differs',
      payment: other.intent.id,
      provider_amount: 8.99,
      ledger_amount: 9.99,
      actions: ['accept'],
    },
  ]);
  expect(await listDifferences(app, lost.shop.merchant)).toMatchObject([
    { kind: 'payment_not_found', transaction: `${lost.id}-1-1`, provider_amount: 0, ledger_amount: 9.99 },
  ]);
  expect(await listDifferences(app, await createMerchant(app))).toEqual([]);
});

test('200: a difference that is no longer there is resolved by the next comparison', async () => {
  const { shop, account, intent } = await subscribeLongAgo(app);
  account.books.hidden.add(intent.id);
  await compare(app);
  expect(await listDifferences(app, shop.merchant, '?status=open')).toHaveLength(1);
  account.books.hidden.clear();
  await compare(app);
  expect(await listDifferences(app, shop.merchant, '?status=open')).toEqual([]);
  expect(await listDifferences(app, shop.merchant)).toMatchObject([{ status: 'resolved', resolution: 'gone' }]);
});

test('200: payments of other sales in the same account are not compared', async () => {
  const { shop, account, intent } = await subscribeLongAgo(app);
  const id = `pi_${randomUUID()}`;
  account.intents.set(id, { ...intent, id, metadata: {} });
  const key = `pi_${randomUUID()}`;
  account.intents.set(key, { ...intent, id: key, metadata: { paywall_charge: 'S-OF-ANOTHER:1:1' } });
  await compare(app);
  expect(await listDifferences(app, shop.merchant)).toEqual([]);
});

test('200: an account is compared once a day, and one that does not answer stops no other', async () => {
  const [revoked, own] = [await createOwnShop(app), await subscribeLongAgo(app)];
  revoked.account.secretKey = 'sk_test_rolled';
  own.account.books.hidden.add(own.intent.id);
  await compare(app);
  expect(await listDifferences(app, own.shop.merchant)).toHaveLength(1);
  own.account.books.hidden.clear();
  const { compareBalances } = await import('../../../src/subscriptions/settlement/comparison.js');
  await compareBalances();
  expect(await listDifferences(app, own.shop.merchant, '?status=open')).toHaveLength(1);
});
