import { call } from '../../support/client';
import { type Shop } from '../../support/factories';
import { bookedDay } from '../../support/journal';
import { createPayShop, refund, refunded } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';
import { sellInGermany } from '../../support/taxedSales';

let app: TestApp;
let shop: Shop;
let token: string;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
  ({ shop, token } = await sellInGermany(app));
  await refund(app, shop.merchant, token, { amount: '1.50' });
  await refunded(app, token);
});
afterAll(() => app.stop());

interface Entry {
  id: number;
  day: string;
  kind: string;
  about: string;
  trx_token: string;
  debit_account: string;
  credit_account: string;
  amount: number;
  currency: string;
}
const list = (query: string, caller = shop.merchant) =>
  call<{ total: number; next_cursor: string; collection: Entry[] }>(
    app,
    'GET',
    `/reporting/books/journal?${query}`,
    undefined,
    caller,
  );
const moved = ({ debit_account: debit, credit_account: credit, amount }: Entry) => `${debit} > ${credit} ${amount}`;

test('200: the entries, newest first, each with its transaction', async () => {
  const { status, body } = await list('');
  expect([status, body.total]).toEqual([200, 4]);
  expect(body.collection.map(moved)).toEqual([
    'deferred_revenue > payment_provider 1.26',
    'tax_payable > payment_provider 0.24',
    'payment_provider > tax_payable 0.72',
    'payment_provider > deferred_revenue 3.78',
  ]);
  const day = await bookedDay(app.pool, shop.merchant.id);
  expect(body.collection.at(-1)).toMatchObject({ day, kind: 'charge', trx_token: token, currency: 'EUR' });
});

test('200: page by page, and with each filter', async () => {
  const { body } = await list('size=3');
  const rest = await list(`size=3&cursor=${body.next_cursor}`);
  expect(rest.body.collection.map(moved)).toEqual(['payment_provider > deferred_revenue 3.78']);
  const totals = [];
  for (const query of ['entry_kind=refund', 'account=tax_payable', 'currency=JPY', 'to=2020-01-01', 'from=2020-01-01'])
    totals.push((await list(query)).body.total);
  expect(totals).toEqual([2, 2, 0, 0, 4]);
});

test('200: the total counts the days at both ends of the range, before and after the sums are folded', async () => {
  const day = await bookedDay(app.pool, shop.merchant.id);
  const beside = (days: number) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
  const queries = [`from=${day}&to=${day}`, `to=${beside(-1)}`, `from=${beside(1)}`, 'to=9998-12-31', 'to=9999-12-31'];
  const counted = async () => {
    const found = [];
    for (const query of queries) {
      const { body } = await list(query);
      found.push([body.total, body.collection.length]);
    }
    return found;
  };
  const expected = [4, 0, 0, 4, 4].map((count) => [count, count]);
  expect(await counted()).toEqual(expected);
  await app.pool.query('SELECT fold_figures(50000)');
  expect(await counted()).toEqual(expected);
});

test('200: nothing of another merchant', async () => {
  const other = await createPayShop(app);
  expect((await list('', other.merchant)).body).toMatchObject({ total: 0, collection: [] });
});

test('200: all entries as a file', async () => {
  const { body } = await call<string>(
    app,
    'GET',
    '/reporting/exports/journal?entry_kind=charge',
    undefined,
    shop.merchant,
  );
  const lines = body.trim().split('\r\n');
  expect(lines[0]).toContain('id,day,kind,about,trx_token,debit_account,credit_account,amount,currency,booked_at');
  expect(lines).toHaveLength(3);
  expect(lines[1]).toContain('payment_provider,tax_payable,0.72,EUR');
});

test.each([
  ['entry_kind=gain', 'entry_kind'],
  ['account=cash', 'account'],
])('422 invalid_input: %s', async (query, field) =>
  expect(await list(query)).toMatchObject({ status: 422, body: { errors: { [field]: expect.any(String) as string } } }),
);
