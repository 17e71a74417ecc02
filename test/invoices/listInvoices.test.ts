import { call } from '../support/client';
import { type Person } from '../support/factories';
import { createTaxedShop, type InvoicePage, issued, payAsOther } from '../support/invoices';
import { paid, refund, refunded } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { sellTo } from '../support/taxedSales';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const read = (path: string, caller: Person) => call<InvoicePage>(app, 'GET', path, undefined, caller);

const numbersIn = async (path: string, caller: Person) =>
  (await read(path, caller)).body.collection.map(({ number }) => number);

test('200: pages by number and by cursor', async () => {
  const shop = await createTaxedShop(app);
  for (let count = 0; count < 3; count += 1) await payAsOther(app, shop);
  const [first, second, third] = (await issued(app, shop.merchant)).map(({ number }) => number);
  const { body } = await read('/payments/invoices?limit=2', shop.merchant);
  expect(body).toMatchObject({ total: 3, collection: [{ number: third }, { number: second }] });
  expect(await numbersIn(`/payments/invoices?limit=2&cursor=${body.next_cursor}`, shop.merchant)).toEqual([first]);
  expect(await numbersIn('/payments/invoices?limit=2&page=2', shop.merchant)).toEqual([first]);
});

test('200: the first document comes first in pages, by cursor and in the file', async () => {
  const shop = await createTaxedShop(app);
  for (let count = 0; count < 3; count += 1) await payAsOther(app, shop);
  const [first, second, third] = (await issued(app, shop.merchant)).map(({ number }) => number);
  const sorted = '/payments/invoices?sort=issued&order=asc&limit=2';
  const { body } = await read(sorted, shop.merchant);
  expect(body).toMatchObject({ total: 3, collection: [{ number: first }, { number: second }] });
  expect(await numbersIn(`${sorted}&cursor=${body.next_cursor}`, shop.merchant)).toEqual([third]);
  expect(await numbersIn(`${sorted}&page=2`, shop.merchant)).toEqual([third]);
  const file = await call<string>(app, 'GET', '/reporting/exports/invoices?order=asc', undefined, shop.merchant);
  const lines = file.body.trim().split('\r\n').slice(1);
  expect(lines.map((line) => line.split(',')[1])).toEqual([first, second, third].map(String));
});

test('200: the merchant searches by number, name and address, and by kind and day', async () => {
  const shop = await createTaxedShop(app);
  const token = await paid(app, shop);
  await refund(app, shop.merchant, token);
  await refunded(app, token);
  const other = await payAsOther(app, shop);
  const [first, note, last] = (await issued(app, shop.merchant)).map(({ number }) => number);
  const search = (query: Record<string, string>) =>
    numbersIn(`/payments/invoices?${String(new URLSearchParams(query))}`, shop.merchant);
  expect(await search({ search: String(note).toLowerCase() })).toEqual([note]);
  expect(await search({ search: other.email.toUpperCase() })).toEqual([last]);
  expect(await search({ search: 'petrova', kind: 'credit_note' })).toEqual([note]);
  expect(await search({ search: '%' })).toEqual([]);
  const today = new Date().toISOString().slice(0, 10);
  expect(await search({ startDate: '2020-01-01', endDate: '2020-01-02' })).toEqual([]);
  expect(await search({ startDate: '2020-01-01', kind: 'invoice' })).toEqual([last, first]);
  const backwards = await read(`/payments/invoices?startDate=${today}&endDate=2020-01-01`, shop.merchant);
  expect(backwards).toMatchObject({ status: 422, body: { error: 'invalid_input' } });
});

test('200: the list and its file have the tax, and the tax number of a business for statements of sales in the Union', async () => {
  const shop = await createTaxedShop(app);
  await sellTo(app, shop, { country: 'DE' });
  await sellTo(app, shop, { country: 'AT', tax_number: 'ATU12345675' });
  const { body } = await call<{ collection: object[] }>(app, 'GET', '/payments/invoices', undefined, shop.merchant);
  expect(body.collection).toMatchObject([
    { tax_treatment: 'reverse_charge', tax_country: 'AT', tax_rate: 0, buyer_tax_number: 'ATU12345675' },
    { tax_treatment: 'domestic', tax_country: 'DE', tax_rate: 19, buyer_tax_number: '' },
  ]);
  const file = await call<string>(app, 'GET', '/reporting/exports/invoices', undefined, shop.merchant);
  expect(file.body).toContain(
    'tax_rate,tax_country,tax_treatment,buyer_tax_number,tax_number_confirmed_at,tax_number_consultation,tax_number_entry',
  );
  expect(file.body).toContain('0,AT,reverse_charge,ATU12345675');
});
