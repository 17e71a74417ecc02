import { call } from '../support/client';
import { createHistory, type History } from '../support/history';
import { dayAhead } from '../support/reporting';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let history: History;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
  history = await createHistory(app);
});

afterAll(() => app.stop());

interface Revenue {
  collection: { key: string; label: string; payments: number; revenue: number; refunds: number; net_revenue: number }[];
}

const revenue = async (query: string) =>
  (await call<Revenue>(app, 'GET', `/reporting/revenue?${query}`, undefined, history.shop.merchant)).body.collection;

test('200: what was paid and given back, day by day', async () => {
  expect(await revenue('')).toEqual([
    {
      period: dayAhead(0),
      currency: 'EUR',
      key: '',
      label: '',
      payments: 3,
      revenue: 18.99,
      refunds: 1.5,
      chargebacks: 0,
      net_revenue: 17.49,
    },
  ]);
});

test.each([
  ['item', ['Cup final']],
  ['fee', ['Cup final · Monthly pass', 'Cup final · Two days']],
  ['country', ['']],
  ['payment_method', ['card']],
  ['voucher', ['']],
  ['kind', ['one_time', 'subscription']],
])('200: by %s, each group with its name and together the same', async (group, labels) => {
  const rows = await revenue(`group_by=${group}&interval=month`);
  expect(rows.map(({ label }) => label).sort()).toEqual([...labels].sort());
  const sum = (of: (row: Revenue['collection'][number]) => number) =>
    Math.round(rows.reduce((total, row) => total + 100 * of(row), 0)) / 100;
  expect([sum((row) => row.revenue), sum((row) => row.refunds)]).toEqual([18.99, 1.5]);
});

test('422 invalid_input: a group that there is none of', async () => {
  const { status, body } = await call(app, 'GET', '/reporting/revenue?group_by=mood', undefined, history.shop.merchant);
  expect([status, body]).toMatchObject([422, { errors: { group_by: expect.any(String) as string } }]);
});
