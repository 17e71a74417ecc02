import { call } from '../support/client';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { createTaxedShop, issued } from '../support/invoices';
import { paid, refund, refunded } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const read = (number: string | undefined, caller: Person) =>
  call<Record<string, unknown>>(app, 'GET', `/invoices/${number}`, undefined, caller);

test('200: an invoice has the seller, the buyer, the lines and the tax', async () => {
  const shop = await createTaxedShop(app);
  await paid(app, shop);
  const [invoice] = await issued(app, shop.merchant);
  for (const caller of [shop.consumer, shop.merchant]) {
    const { status, body } = await read(invoice?.number, caller);
    expect([status, body]).toMatchObject([
      200,
      {
        number: invoice?.number,
        is_test: expect.any(Boolean) as boolean,
        tax_rate: 19,
        tax_country: 'DE',
        seller: { name: 'News Ltd', tax_number: 'DE136695976' },
        buyer: { email: shop.consumer.email, paid_with: 'visa', last_four: '4242' },
        lines: [{ kind: 'item', text: 'Cup final', detail: 'Two days', gross_amount: 4.5, tax_amount: 0.72 }],
      },
    ]);
  }
});

test('404 invoice_not_found: of another customer, of another merchant, and a number that is not issued', async () => {
  const shop = await createTaxedShop(app);
  await paid(app, shop);
  const [invoice] = await issued(app, shop.merchant);
  const stranger = await createConsumer(app, shop.merchant);
  const refusal = { status: 404, body: { error: 'invoice_not_found' } };
  for (const caller of [stranger, await createMerchant(app)])
    expect(await read(invoice?.number, caller)).toMatchObject(refusal);
  expect(await read('2026-999999', shop.consumer)).toMatchObject(refusal);
});

test('200: the cancellation of a credit note returns its amount and names it', async () => {
  const shop = await createTaxedShop(app);
  const token = await paid(app, shop);
  await refund(app, shop.merchant, token);
  await refunded(app, token);
  const { cancelCreditNote } = await import('../../src/invoices/issuing.js');
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  const { rows } = await app.pool.query<{ id: number }>('SELECT id FROM refunds WHERE merchant_id = $1', [
    shop.merchant.id,
  ]);
  await transaction((inTransaction) => cancelCreditNote(rows[0]?.id ?? 0, new Date(), inTransaction));
  const [, note, cancellation] = await issued(app, shop.merchant);
  expect(cancellation).toMatchObject({ kind: 'cancellation', sequence_no: 3, gross: 450, corrects: note?.number });
  expect(await read(cancellation?.number, shop.consumer)).toMatchObject({
    status: 200,
    body: { corrects: note?.number, gross_amount: 4.5, lines: [{ kind: 'cancellation', text: 'Cup final' }] },
  });
});
