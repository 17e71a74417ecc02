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

const transactions = (query: string) =>
  call<{ total: number; sums: object; collection: object[] }>(
    app,
    'GET',
    `/reporting/transactions?${query}`,
    undefined,
    history.shop.merchant,
  );

test('200: what was paid and given back, newest first, and what it comes to', async () => {
  const { status, body } = await transactions('limit=3');
  expect([status, body]).toMatchObject([
    200,
    {
      total: 4,
      sums: { EUR: 17.49 },
      collection: [
        { type: 'charge', kind: 'one_time', amount: 4.5, email: history.other.email },
        { type: 'charge', kind: 'subscription', amount: 9.99, transaction_token: history.subscription },
        { type: 'refund', kind: 'one_time', amount: -1.5, payment_method: 'card', voucher_code: '', country_iso: '' },
      ],
    },
  ]);
});

test.each([
  ['type=refund', 1],
  ['kind=one_time', 3],
  ['payment_method=card', 4],
  ['payment_method=none', 0],
  ['voucher_code=-', 4],
  ['country_iso=-', 4],
  ['country_iso=FR', 0],
  ['voucher_code=SPRING', 0],
])('200: those that %s asks for', async (query, total) => {
  expect((await transactions(query)).body).toMatchObject({ total });
});

test('422 invalid_input: a type that is none', async () => {
  expect((await transactions('type=gift')).status).toBe(422);
});
