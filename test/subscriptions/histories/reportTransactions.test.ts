import { call } from '../../support/client';
import { createHistory, type History } from '../../support/history';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let history: History;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
  history = await createHistory(app);
});

afterAll(() => app.stop());

test('200: the transactions with their sums', async () => {
  const { status, body } = await call(
    app,
    'GET',
    '/accounting/report/transactions?limit=3',
    undefined,
    history.shop.merchant,
  );
  expect([status, body]).toMatchObject([
    200,
    {
      total: 4,
      pages: 2,
      total_purchases: 3,
      total_gross_amounts: { EUR: 18.99 },
      current_balance: { EUR: 17.49 },
      collection: [{ net_amount: 4.5 }, { net_amount: 9.99 }, { net_amount: -1.5, charged_amount: 1.5 }],
    },
  ]);
});
