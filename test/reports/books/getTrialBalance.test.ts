import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { bookedDay } from '../../support/journal';
import { createPayShop, paid } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';
import { sellInGermany } from '../../support/taxedSales';
import { passDays } from '../../support/testClock';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

interface Line {
  account: string;
  class: string;
  currency: string;
  opening: number;
  debit: number;
  credit: number;
  closing: number;
}
const read = (token: string, query = '') =>
  call<{ from: string; to: string; collection: Line[] }>(
    app,
    'GET',
    `/reporting/books/trial-balance${query}`,
    undefined,
    {
      token,
    },
  );

test('200: the accounts of each day, with the revenue of the days that have passed', async () => {
  const { shop } = await sellInGermany(app);
  const [first, second] = [await bookedDay(app.pool, shop.merchant.id), await bookedDay(app.pool, shop.merchant.id, 1)];
  await passDays(app, shop.merchant, 1);
  const { status, body } = await read(shop.merchant.token, `?from=${first}&to=${first}`);
  const line = (account: string, kind: string, debit: number, credit: number) => {
    const closing = Math.round((debit - credit) * 100) / 100;
    return { account, class: kind, currency: 'EUR', opening: 0, debit, credit, closing };
  };
  expect([status, body]).toEqual([
    200,
    {
      from: first,
      to: first,
      collection: [
        line('payment_provider', 'asset', 4.5, 0),
        line('deferred_revenue', 'liability', 1.89, 3.78),
        line('tax_payable', 'liability', 0, 0.72),
        line('revenue', 'income', 0, 1.89),
      ],
    },
  ]);
  const later = (await read(shop.merchant.token, `?from=${second}&to=${second}`)).body.collection;
  expect(later.map(({ account, opening, closing }) => [account, opening, closing])).toEqual([
    ['payment_provider', 4.5, 4.5],
    ['deferred_revenue', -1.89, -1.89],
    ['tax_payable', -0.72, -0.72],
    ['revenue', -1.89, -1.89],
  ]);
});

test('200: only the asked currency, and nothing of another merchant', async () => {
  const shop = await createPayShop(app);
  await paid(app, shop);
  expect((await read(shop.merchant.token, '?currency=eur')).body.collection).toHaveLength(2);
  expect((await read(shop.merchant.token, '?currency=JPY')).body.collection).toEqual([]);
  expect((await read((await createMerchant(app)).token)).body.collection).toEqual([]);
});

test.each([
  ['?from=2026-02-02&to=2026-02-01', 'to'],
  ['?from=2026-02-30', 'from'],
  ['?currency=EURO', 'currency'],
])('422 invalid_input: %s', async (query, field) => {
  const { token } = await createMerchant(app);
  expect(await read(token, query)).toMatchObject({
    status: 422,
    body: { errors: { [field]: expect.any(String) as string } },
  });
});
