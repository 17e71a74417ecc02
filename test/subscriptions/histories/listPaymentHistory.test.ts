import { call } from '../../support/client';
import { createHistory, kindsOf, type History, type HistoryPage } from '../../support/history';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let history: History;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
  history = await createHistory(app);
});

afterAll(() => app.stop());

test('200: a consumer reads its own and nobody else’s, in Unix seconds', async () => {
  const { body } = await call<HistoryPage>(
    app,
    'GET',
    '/v2/accounting/payment-history',
    undefined,
    history.shop.consumer,
  );
  expect(kindsOf(body)).toEqual([
    ['recurrent', 9.99],
    ['refund', 1.5],
    ['charge', 4.5],
  ]);
  expect(body.collection[2]).toMatchObject({
    trx_token: history.payment,
    item_id: history.shop.item.id,
    payment_method_name: 'Card',
  });
  expect(body.collection[2]?.created_at).toEqual(expect.any(Number));
  const others = await call<HistoryPage>(app, 'GET', '/v2/accounting/payment-history', undefined, history.other);
  expect(others.body.collection.map(({ trx_token }) => trx_token)).toEqual([history.gift]);
});
