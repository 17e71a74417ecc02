import { call } from '../support/client';
import { createConsumer, type Shop } from '../support/factories';
import { changeInvoices, createTaxedShop, issued } from '../support/invoices';
import { enterConsole } from '../support/pageWalker';
import { createPayShop, paid, refund, refunded } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { atHome, nameSeller } from '../support/tax';
import { passDays } from '../support/testClock';

/** The tax of a period, as a merchant enters it in a return. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const read = ({ merchant }: Pick<Shop, 'merchant'>, query: string) =>
  call<{ from: string; to: string; collection: Record<string, unknown>[] }>(
    app,
    'GET',
    `/reporting/tax?${query}`,
    undefined,
    merchant,
  );

/** The quarter of a merchant's present day, and the days from now to the middle of the next quarter. */
async function quarterOf({ merchant }: Pick<Shop, 'merchant'>) {
  const { rows } = await app.pool.query<{ year: number; quarter: number; left: number }>(
    `SELECT extract(year FROM n)::int AS year, extract(quarter FROM n)::int AS quarter,
       extract(day FROM date_trunc('quarter', n) + interval '3 months' - n)::int + 45 AS left
     FROM (SELECT merchant_now($1) AT TIME ZONE 'UTC' AS n) t`,
    [merchant.id],
  );
  return rows[0] ?? { year: 0, quarter: 0, left: 0 };
}

const named = ({ year, quarter }: { year: number; quarter: number }) => `year=${year}&quarter=${quarter}`;
const next = ({ year, quarter }: { year: number; quarter: number }) =>
  quarter === 4 ? { year: year + 1, quarter: 1 } : { year, quarter: quarter + 1 };

/** A purchase by a customer with an address. */
async function payFrom(shop: Shop, country: string, fields: Record<string, unknown> = {}) {
  const consumer = await createConsumer(app, shop.merchant);
  const details = { name: 'Ana', address_line: 'Street 1', postal_code: '1000', city: 'City', country, ...fields };
  await call(app, 'PUT', '/v2/accounts/billing-details', details, consumer);
  return paid(app, { ...shop, consumer });
}

const oss = [atHome, { country: 'DE', scheme: 'oss', number: 'EU276000001' }];

test('200: the numbers that a restore of the period may have lost', async () => {
  const shop = await createTaxedShop(app);
  await payFrom(shop, 'DE');
  const present = await quarterOf(shop);
  expect((await read(shop, named(present))).body).toMatchObject({ lost_numbers: [] });
  const { beginSeries } = await import('../../src/invoices/series.js');
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  await transaction((inTransaction) => beginSeries(inTransaction, new Date()));
  const [invoice] = await issued(app, shop.merchant);
  const last_number = invoice?.number ?? '';
  expect((await read(shop, named(present))).body).toMatchObject({
    lost_numbers: [{ last_number, first_lost_number: last_number.replace(/1$/, '2') }],
  });
  expect((await read(shop, named(next(present)))).body).toMatchObject({ lost_numbers: [] });
  const walker = await enterConsole(app, shop.merchant.email);
  expect((await walker.open('/console/reports/tax')).text).toContain(last_number.replace(/1$/, '2'));
});

test('200: sums by treatment, country and rate, and refunds of the period are less', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop, oss);
  await payFrom(shop, 'DE');
  const token = await payFrom(shop, 'DE');
  await payFrom(shop, 'FR');
  await payFrom(shop, 'AT', { tax_number: 'ATU12345675' });
  await refund(app, shop.merchant, token, { amount: '1.25' });
  await refunded(app, token);
  const { status, body } = await read(shop, named(await quarterOf(shop)));
  expect(status).toBe(200);
  const common = { region: '', currency: 'EUR', corrected_quarter: '' };
  expect(body.collection).toEqual([
    {
      ...common,
      ...{ treatment: 'domestic', country: 'DE', tax_rate: 19, documents: 3 },
      net_amount: 6.51,
      tax_amount: 1.24,
      gross_amount: 7.75,
    },
    {
      ...common,
      ...{ treatment: 'oss', country: 'FR', tax_rate: 20, documents: 1 },
      net_amount: 3.75,
      tax_amount: 0.75,
      gross_amount: 4.5,
    },
    {
      ...common,
      ...{ treatment: 'reverse_charge', country: 'AT', tax_rate: 0, documents: 1 },
      net_amount: 4.5,
      tax_amount: 0,
      gross_amount: 4.5,
    },
  ]);
});

test('200: a refund in the next quarter is a correction of the quarter of its invoice', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop, oss);
  const sold = await quarterOf(shop);
  const token = await payFrom(shop, 'FR');
  await passDays(app, shop.merchant, sold.left);
  await refund(app, shop.merchant, token);
  await refunded(app, token);
  await payFrom(shop, 'FR');
  const corrected = `${sold.year}-Q${sold.quarter}`;
  expect((await read(shop, named(sold))).body.collection).toMatchObject([
    { treatment: 'oss', gross_amount: 4.5, corrected_quarter: '' },
  ]);
  const later = next(sold);
  expect((await read(shop, named(later))).body.collection).toMatchObject([
    { treatment: 'oss', gross_amount: 4.5, tax_amount: 0.75, corrected_quarter: '' },
    { treatment: 'oss', gross_amount: -4.5, tax_amount: -0.75, corrected_quarter: corrected },
  ]);
  const file = await fetch(`${app.address}/reporting/tax/oss?${named(later)}`, {
    headers: { Authorization: `Bearer ${shop.merchant.token}` },
  });
  expect((await file.text()).split('\r\n').slice(1)).toEqual([
    'FR,STANDARD,20,EUR,3.75,0.75,,,',
    `FR,,,EUR,-3.75,-0.75,${corrected},,`,
    '',
  ]);
});

test('200: a year has the sums of its quarters, and its days are those of the seller’s time zone', async () => {
  const shop = await createTaxedShop(app);
  await paid(app, shop);
  const { year, quarter } = await quarterOf(shop);
  const { body } = await read(shop, `year=${year}`);
  expect([body.from, body.to]).toEqual([`${year}-01-01`, `${year}-12-31`]);
  expect(body.collection).toEqual((await read(shop, `year=${year}&quarter=${quarter}`)).body.collection);
  // The instants on both sides of the first midnight of the quarter in Berlin.
  const berlin = (issuedAt: string) => `time_zone = 'Europe/Berlin', issued_at = '${issuedAt}'`;
  await changeInvoices(app, shop.merchant.id, berlin('2026-06-30T22:00:00Z'));
  const count = async (query: string) => (await read(shop, query)).body.collection.length;
  expect([await count('year=2026&quarter=3'), await count('year=2026&quarter=2')]).toEqual([1, 0]);
  await changeInvoices(app, shop.merchant.id, berlin('2026-06-30T21:59:59Z'));
  expect([await count('year=2026&quarter=3'), await count('year=2026&quarter=2')]).toEqual([0, 1]);
});

test('200: by default the quarter of the present day', async () => {
  const shop = await createTaxedShop(app);
  const { year, quarter } = await quarterOf(shop);
  expect((await read(shop, '')).body).toMatchObject({ year, quarter });
  expect((await read(shop, `year=${year}`)).body).toMatchObject({ year, quarter: 0 });
});

test('400 missing_parameter: a quarter without its year', async () => {
  const { status, body } = await read(await createTaxedShop(app), 'quarter=1');
  expect([status, body]).toMatchObject([
    400,
    { error: 'missing_parameter', errors: { year: 'The year must not be empty.' } },
  ]);
});

test('200: without invoices, and without those of another merchant, there is nothing', async () => {
  const [shop, other] = [await createTaxedShop(app), await createTaxedShop(app)];
  await paid(app, other);
  expect((await read(shop, named(await quarterOf(shop)))).body.collection).toEqual([]);
});

test.each([
  ['year=1999', 'year'],
  ['year=9999', 'year'],
  ['year=2026&quarter=0', 'quarter'],
  ['year=2026&quarter=5', 'quarter'],
  ['year=2026&quarter=first', 'quarter'],
])('the error names the field: %s', async (query, field) => {
  const shop = await createTaxedShop(app);
  const { status, body } = await read(shop, query);
  expect([400, 422]).toContain(status);
  expect(body).toMatchObject({ errors: { [field]: expect.any(String) as string } });
});
