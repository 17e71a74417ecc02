import { call } from '../../support/client';
import { createShop, reaches, subscribe, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { refund, refunded } from '../../support/payments';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const list = async (merchant: Person, query = '') => {
  const path = `/payments/balance-transactions${query}`;
  return (await call<{ collection: { kind: string }[]; total: number }>(app, 'GET', path, undefined, merchant)).body;
};

test('200: charges with their fees and refunds, newest first, of the own merchant only; and the same as CSV', async () => {
  const [shop, other] = [await createShop(app), await createShop(app)];
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  await refund(app, shop.merchant, `${body.subscription_id}-1-1`, { amount: 2 });
  await refunded(app, `${body.subscription_id}-1-1`);
  const { compareBalances } = await import('../../../src/subscriptions/settlement/comparison.js');
  await compareBalances();
  const found = await list(shop.merchant);
  expect(found.collection).toHaveLength(2);
  expect(found.collection).toContainEqual(
    expect.objectContaining({ kind: 'charge', amount: 9.99, fee: 0.3, fee_currency: 'EUR', provider: 'sandbox' }),
  );
  expect(found.collection).toContainEqual(expect.objectContaining({ kind: 'refund', amount: 2, fee: 0 }));
  expect((await list(shop.merchant, '?limit=1')).collection).toHaveLength(1);
  expect(await list(other.merchant)).toMatchObject({ total: 0, collection: [] });
  const csv = await call<string>(app, 'GET', '/reporting/exports/balance-transactions', undefined, shop.merchant);
  expect(csv.status).toBe(200);
});
