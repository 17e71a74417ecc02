import { call } from '../support/client';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { createTaxedShop, issued } from '../support/invoices';
import { createPayShop, paid, refund, refunded } from '../support/payments';
import { findFaults, textsOf } from '../support/electronicInvoices';
import { readDocument, wordsOf } from '../support/receipts';
import { startApp, type TestApp } from '../support/startApp';
import { nameSeller } from '../support/tax';

/** Invoices and credit notes as PDF, and the receipt calls of existing clients, which return the same documents. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const get = (path: string, { token }: Person, headers: Record<string, string> = {}) =>
  fetch(`${app.address}${path}`, { headers: { Authorization: `Bearer ${token}`, ...headers } });

const read = (number: string | undefined, caller: Person, headers?: Record<string, string>) =>
  get(`/invoices/${number}/document`, caller, headers);

const receiptOf = (trxToken: string, caller: Person) => get(`/v2/accounting/transactions/${trxToken}/receipt`, caller);

const numberOf = async ({ merchant }: { merchant: Person }) => (await issued(app, merchant))[0]?.number;

/** The fields of an address that a customer has saved. */
const address = { name: 'Ana Petrova', address_line: 'Ulica 5', postal_code: '1000', city: 'Berlin', country: 'DE' };

test('200: an invoice names the seller, the buyer, the period, the tax and the payment', async () => {
  const shop = await createTaxedShop(app);
  await call(app, 'PUT', '/v2/accounts/billing-details', address, shop.consumer);
  await paid(app, shop);
  const number = await numberOf(shop);
  for (const caller of [shop.consumer, shop.merchant]) {
    const response = await read(number, caller);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(response.headers.get('content-disposition')).toBe(`inline; filename="${number}.pdf"`);
    const words = await wordsOf(response);
    for (const expected of [
      'Test document. No payment was made.',
      'Invoice',
      number,
      'News Ltd',
      '10115 Berlin',
      'Tax number DE136695976',
      'Ulica 5',
      'Germany',
      shop.consumer.email.slice(0, 20),
      '.org',
      'Cup final',
      'Two days',
      '€3.78 €0.72 €4.50',
      '19% tax, Germany',
      'Visa ending in 4242',
    ])
      expect(words).toContain(expected);
  }
});

test('200: a credit note has negative amounts, and names the invoice', async () => {
  const shop = await createTaxedShop(app);
  const token = await paid(app, shop);
  await refund(app, shop.merchant, token, { amount: '1.25' });
  await refunded(app, token);
  const [invoice, note] = await issued(app, shop.merchant);
  const words = await wordsOf(await read(note?.number, shop.consumer));
  for (const expected of ['Credit note', note?.number, `Corrects ${invoice?.number}`, '-€1.05 -€0.20 -€1.25'])
    expect(words).toContain(expected);
});

/** A purchase by a business in another country. */
async function buyAsBusiness(name = 'Wien Medien GmbH') {
  const shop = await createTaxedShop(app);
  const business = { ...address, name, city: 'Wien', country: 'AT', tax_number: 'ATU12345675' };
  const saved = await call(app, 'PUT', '/v2/accounts/billing-details', business, shop.consumer);
  expect(saved.status).toBe(200);
  return { shop, trxToken: await paid(app, shop) };
}

test('200: the text of the merchant is on the invoice and its credit note, as it was at the payment', async () => {
  const shop = await createPayShop(app);
  const invoice_note = 'TVA non applicable, article 293 B du CGI. RCS Paris 123 456 789';
  const exempt = [{ country: 'FR', scheme: 'exempt' }];
  await nameSeller(app, shop, exempt, { country: 'FR', invoice_note });
  const token = await paid(app, shop);
  await nameSeller(app, shop, [], { country: 'FR', invoice_note: 'Another text' });
  await refund(app, shop.merchant, token);
  await refunded(app, token);
  for (const { number } of await issued(app, shop.merchant)) {
    const words = await wordsOf(await read(number, shop.consumer));
    expect(words).toContain('Exempt from tax.');
    expect(words).toContain(invoice_note);
    expect(words).not.toContain('Another text');
  }
});

test('200: a business in another country accounts for the tax itself', async () => {
  const { shop } = await buyAsBusiness();
  const words = await wordsOf(await read(await numberOf(shop), shop.consumer));
  for (const expected of [
    'Tax number ATU12345675',
    'Reverse charge: the customer accounts for the tax.',
    '€4.50 €0.00 €4.50',
  ])
    expect(words).toContain(expected);
  expect(words).not.toContain('% tax');
});

test('200: the invoice and the credit note of a business embed data that the schema and the rules of EN 16931 accept', async () => {
  const { shop, trxToken } = await buyAsBusiness('Müller & <Söhne>');
  await refund(app, shop.merchant, trxToken, { amount: '1.25' });
  await refunded(app, trxToken);
  const documents = await issued(app, shop.merchant);
  expect(documents).toHaveLength(2);
  for (const [index, { number }] of documents.entries()) {
    const { files, xmp } = await readDocument(await read(number, shop.consumer));
    const [[name, data] = ['', '']] = files;
    expect(files).toHaveLength(1);
    expect(name).toBe('factur-x.xml');
    expect(await findFaults(data)).toEqual([]);
    expect(textsOf(data, 'ID')).toContain(number);
    expect(textsOf(data, 'GrandTotalAmount')).toEqual([['4.50', '1.25'][index]]);
    expect(textsOf(data, 'ExemptionReason')).toEqual(['Reverse charge: the customer accounts for the tax.']);
    for (const part of ['<pdfaid:part>3<', '<fx:DocumentFileName>factur-x.xml<', '<fx:ConformanceLevel>EN 16931<'])
      expect(xmp).toContain(part);
  }
});

test('200: the invoice of a consumer embeds nothing', async () => {
  const shop = await createTaxedShop(app);
  await paid(app, shop);
  const { files } = await readDocument(await read(await numberOf(shop), shop.consumer));
  expect(files).toEqual([]);
});

test.each([
  ['JPY', '450', '¥378 ¥72 ¥450'],
  ['KWD', '4.510', 'KWD 3.790 KWD 0.720 KWD 4.510'],
])('200: amounts in %s have the decimals of the currency', async (currency, amount, expected) => {
  const shop = await createPayShop(app, { currency, amount });
  await nameSeller(app, shop);
  await paid(app, shop);
  expect((await wordsOf(await read(await numberOf(shop), shop.consumer))).replaceAll('\u00a0', ' ')).toContain(
    expected,
  );
});

test.each([
  ['de', 'Rechnung', 'Deutschland'],
  ['fr', 'Facture', 'Allemagne'],
  ['tr', 'Fatura', 'Almanya'],
  ['ar', 'EUR', '4242'],
])('200: the language of the buyer, whoever reads: %s', async (language, title, country) => {
  const shop = await createTaxedShop(app);
  await app.pool.query('UPDATE accounts SET language = $2 WHERE id = $1', [shop.consumer.id, language]);
  await paid(app, shop);
  const words = await wordsOf(await read(await numberOf(shop), shop.merchant, { 'Accept-Language': 'en' }));
  for (const expected of [title, country]) expect(words).toContain(expected);
  expect(words).not.toContain('Invoice');
});

test('200: names in other scripts have a font, and a character without one is a question mark', async () => {
  const shop = await createTaxedShop(app);
  const name = 'Ελένη Иванова Şarić 漢字 김민수 გიორგი 🎬';
  await call(app, 'PUT', '/v2/accounts/billing-details', { ...address, name }, shop.consumer);
  await paid(app, shop);
  const words = await wordsOf(await read(await numberOf(shop), shop.consumer));
  expect(words).toContain('Ελένη Иванова Şarić 漢字 김민수 გიორგი ?');
});

test('200: a buyer whose data was deleted is not named', async () => {
  const shop = await createTaxedShop(app);
  await paid(app, shop);
  // The retention lasts ten years, and a trigger guards it.
  await app.pool.query(
    `BEGIN; SET LOCAL session_replication_role = replica;
     DELETE FROM invoice_buyers WHERE merchant_id = ${shop.merchant.id}; COMMIT`,
  );
  const words = await wordsOf(await read(await numberOf(shop), shop.merchant));
  expect(words).toContain('News Ltd');
  expect(words).not.toContain(shop.consumer.email);
});

test('200: the receipt call returns the invoice of a charge and the credit note of a refund', async () => {
  const shop = await createTaxedShop(app);
  const token = await paid(app, shop);
  await refund(app, shop.merchant, token);
  const [refunding] = await refunded(app, token);
  const [invoice, note] = await issued(app, shop.merchant);
  for (const [trxToken, document] of [
    [token, invoice],
    [refunding?.token ?? '', note],
  ] as const) {
    const response = await receiptOf(trxToken, shop.consumer);
    expect(response.headers.get('content-disposition')).toBe(`inline; filename="${document?.number}.pdf"`);
    expect(await wordsOf(response)).toContain(document?.number);
  }
  const stranger = await createConsumer(app, shop.merchant);
  expect((await receiptOf(token, stranger)).status).toBe(404);
});

test('404 invoice_not_found: of another customer, of another merchant, and a number that is not issued', async () => {
  const shop = await createTaxedShop(app);
  await paid(app, shop);
  const number = await numberOf(shop);
  for (const caller of [await createConsumer(app, shop.merchant), await createMerchant(app)]) {
    const response = await read(number, caller);
    expect([response.status, await response.json()]).toMatchObject([404, { error: 'invoice_not_found' }]);
  }
  expect((await read('2026-999999', shop.consumer)).status).toBe(404);
});
