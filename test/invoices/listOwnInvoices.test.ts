import { call } from '../support/client';
import { type Person } from '../support/factories';
import { createTaxedShop, type InvoicePage, issued, payAsOther } from '../support/invoices';
import { paid, refund, refunded } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const read = (path: string, caller: Person) => call<InvoicePage>(app, 'GET', path, undefined, caller);

const numbersIn = async (path: string, caller: Person) =>
  (await read(path, caller)).body.collection.map(({ number }) => number);

test('200: a consumer lists its own documents, and the merchant those of all customers, newest first', async () => {
  const shop = await createTaxedShop(app);
  const token = await paid(app, shop);
  await refund(app, shop.merchant, token);
  await refunded(app, token);
  const other = await payAsOther(app, shop);
  const [first, note, last] = (await issued(app, shop.merchant)).map(({ number }) => number);
  const { body } = await read('/invoices', shop.consumer);
  expect(body).toMatchObject({
    total: 2,
    next_cursor: null,
    collection: [
      { number: note, kind: 'credit_note', corrects: first, gross_amount: -4.5 },
      { number: first, kind: 'invoice', corrects: '', trx_token: token, net_amount: 3.78, tax_amount: 0.72 },
    ],
  });
  expect(body.collection[0]?.trx_token).not.toBe(token);
  expect(await numbersIn('/invoices', other)).toEqual([last]);
  expect(await numbersIn('/payments/invoices', shop.merchant)).toEqual([last, note, first]);
});
