import { call } from '../support/client';
import { createConsumer } from '../support/factories';
import { moveInvoices } from '../support/invoices';
import { createPayShop, paid } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { atHome, nameSeller } from '../support/tax';

/** The file for the return of the one stop shop. `getTaxReport.test.ts` has its corrections. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

test('200: sales to consumers in other member states, each with the kind of its rate', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop, [atHome, { country: 'DE', scheme: 'oss', number: 'EU276000001' }]);
  const buyFrom = async (country: string) => {
    const consumer = await createConsumer(app, shop.merchant);
    const details = { name: 'Ana', address_line: 'Street 1', postal_code: '1000', city: 'City', country };
    await call(app, 'PUT', '/v2/accounts/billing-details', details, consumer);
    await paid(app, { ...shop, consumer });
  };
  await buyFrom('DE');
  await buyFrom('AT');
  const kind = await call(app, 'PUT', `/v2/tax/items/${shop.item.id}`, { item_kind: 'press' }, shop.merchant);
  expect(kind.status).toBe(200);
  await buyFrom('FR');
  const { rows } = await app.pool.query<{ year: number; quarter: number }>(
    'SELECT extract(year FROM merchant_now($1))::int AS year, extract(quarter FROM merchant_now($1))::int AS quarter',
    [shop.merchant.id],
  );
  const { year = 0, quarter = 0 } = rows[0] ?? {};
  const response = await fetch(`${app.address}/reporting/tax/oss?year=${year}&quarter=${quarter}`, {
    headers: { Authorization: `Bearer ${shop.merchant.token}` },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="oss-${year}-Q${quarter}.csv"`);
  expect((await response.text()).split('\r\n')).toEqual([
    'country,rate_type,rate,currency,taxable_amount,tax_amount,corrected_quarter,exchange_rates,warning',
    'AT,STANDARD,20,EUR,3.75,0.75,,,',
    'FR,REDUCED,2.1,EUR,4.41,0.09,,,',
    '',
  ]);
});

test('200: without ECB_RATES_URL, sales in another currency stay in it, with a warning', async () => {
  const shop = await createPayShop(app, { currency: 'USD' });
  await nameSeller(app, shop, [atHome, { country: 'DE', scheme: 'oss', number: 'EU276000001' }]);
  await call(app, 'PUT', '/v2/accounts/billing-details', { country: 'FR' }, shop.consumer);
  await paid(app, shop);
  await moveInvoices(app, shop.merchant, '2024-05-01T12:00:00Z');
  const response = await fetch(`${app.address}/reporting/tax/oss?year=2024&quarter=2`, {
    headers: { Authorization: `Bearer ${shop.merchant.token}` },
  });
  expect((await response.text()).split('\r\n').slice(1)).toEqual([
    'FR,STANDARD,20,USD,3.75,0.75,,,"Not in euro: there is no rate of USD, because ECB_RATES_URL is not set"',
    '',
  ]);
});

test('a quarter is needed', async () => {
  const shop = await createPayShop(app);
  const { status, body } = await call(app, 'GET', '/reporting/tax/oss?year=2026', undefined, shop.merchant);
  expect([status, body]).toMatchObject([400, { errors: { quarter: expect.any(String) as string } }]);
});
