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

const asked = (query: string, headers: Record<string, string> = {}) =>
  call<string>(app, 'GET', `/reporting/transactions?${query}`, undefined, {
    token: history.shop.merchant.token,
    headers,
  });

test.each([
  ['format=csv', {}],
  ['', { Accept: 'text/csv' }],
])('200: as CSV all that the filter asks for: %j %j', async (query, headers) => {
  const { status, body, headers: answered } = await asked(query, headers);
  const [head, ...lines] = body.trim().split('\r\n');
  expect([status, answered.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(head).toMatch(/^id,type,kind,trx_token.*,currency,amount,created_at,is_amount_assumed$/);
  expect(lines.map((line) => line.split(',').slice(-3, -2))).toEqual([['4.5'], ['9.99'], ['-1.5'], ['4.5']]);
  const { body: refunds } = await asked(`type=refund&${query}`, headers);
  expect(refunds.trim().split('\r\n')).toHaveLength(2);
});

test('200: more than fits in one part comes whole and once, also of one instant', async () => {
  await app.pool.query(
    `INSERT INTO charges (merchant_id, account_id, subscription_id, cycle, attempt, idempotency_key, card_id, amount_minor,
       currency, status, settled_at)
     SELECT c.merchant_id, c.account_id, c.subscription_id, 100 + n, 1, c.idempotency_key || n, c.card_id, 100, 'EUR',
       'paid', now() - interval '1 day' FROM charges c, generate_series(1, 2500) AS n
     WHERE c.subscription_id = (SELECT id FROM subscriptions WHERE token = $1)`,
    [history.subscription],
  );
  const { body } = await asked('format=csv');
  const ids = body
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',')[0]);
  expect([ids.length, new Set(ids).size]).toEqual([2_504, 2_504]);
});

test('422: a range that ends before it begins is refused before the first line', async () => {
  expect((await asked('format=csv&from=2026-02-01&to=2026-01-01')).status).toBe(422);
});
