import { createConsumer } from '../../support/factories';
import { createTaxedShop, issued } from '../../support/invoices';
import { enterConsole } from '../../support/pageWalker';
import { paid, refund, refunded } from '../../support/payments';
import { wordsOf } from '../../support/receipts';
import { startApp, type TestApp } from '../../support/startApp';

/** The console's page of invoices: search, kind, days, the document and the CSV file. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

/** A merchant with two invoices, of two customers, and the credit note of the first one. */
async function createSales() {
  const shop = await createTaxedShop(app);
  const token = await paid(app, shop);
  await refund(app, shop.merchant, token);
  await refunded(app, token);
  const other = await createConsumer(app, shop.merchant);
  await paid(app, { ...shop, consumer: other });
  const numbers = (await issued(app, shop.merchant)).map(({ number }) => number);
  return { shop, other, numbers, walker: await enterConsole(app, shop.merchant.email) };
}

const numbersIn = (text: string) =>
  [...text.matchAll(/\/console\/invoices\/([^/"]+)\/document/g)].map(([, number]) => number);

test('200: the documents of all customers, the last one first, by kind, and by a part of the number or the address', async () => {
  const { walker, numbers, shop, other } = await createSales();
  const [first, note, second] = numbers;
  const shown = async (query: string) => numbersIn((await walker.open(`/console/invoices${query}`)).text);
  expect(await shown('')).toEqual([second, note, first]);
  expect(await shown('?kind=credit_note')).toEqual([note]);
  expect(await shown(`?search=${encodeURIComponent(other.email)}`)).toEqual([second]);
  expect(await shown(`?search=${second}`)).toEqual([second]);
  expect(await shown(`?search=${encodeURIComponent(shop.consumer.email)}&kind=invoice`)).toEqual([first]);
  expect(await shown('?search=nobody')).toEqual([]);
  expect(await shown('?startDate=2020-01-01&endDate=2020-01-02')).toEqual([]);
});

test('200: the document, and the file with the same search', async () => {
  const { walker, numbers, other, shop } = await createSales();
  const [first = '', , second = ''] = numbers;
  const page = await walker.open(`/console/invoices?search=${encodeURIComponent(other.email)}`);
  const file = /href="(\/console\/csv\/invoices[^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const { text } = await walker.open(file);
  expect(text).toContain(second);
  expect(text).not.toContain(first);
  const document = await fetch(`${app.address}/console/invoices/${first}/document`, {
    headers: { Cookie: walker.cookies },
  });
  expect(document.headers.get('content-disposition')).toBe(`attachment; filename="${first}.pdf"`);
  expect(await wordsOf(document)).toContain(first);
  const stranger = await createTaxedShop(app);
  const theirs = await enterConsole(app, stranger.merchant.email);
  expect((await theirs.open(`/console/invoices/${first}/document`)).status).toBe(404);
  expect((await theirs.open('/console/invoices')).text).not.toContain(shop.consumer.email);
});

test('422: a day that is none is named beside its field', async () => {
  const { walker } = await createSales();
  const { status, text } = await walker.open('/console/invoices?startDate=2026-02-30');
  expect(status).toBe(422);
  expect(text).toContain('id="field-startDate"');
});
