import { call } from '../support/client';
import { cards, reaches, subscribe } from '../support/factories';
import { issued } from '../support/invoices';
import { createPayShop, paid, refund, refunded } from '../support/payments';
import { giveTrial } from '../support/scenarios';
import { startApp, type TestApp } from '../support/startApp';
import { nameSeller } from '../support/tax';
import { createVoucher } from '../support/vouchers';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

test('three refunds of parts have three credit notes, which return exactly the invoice', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop);
  const token = await paid(app, shop);
  for (const [index, amount] of ['1.11', '2.22', '1.17'].entries()) {
    await refund(app, shop.merchant, token, { amount });
    await refunded(app, token, index + 1);
  }
  const [invoice, ...notes] = await issued(app, shop.merchant);
  expect(invoice).toMatchObject({ kind: 'invoice', sequence_no: 1, net: 378, tax: 72, gross: 450 });
  expect(notes.map(({ kind, sequence_no: no, gross, corrects }) => [kind, no, gross, corrects])).toEqual([
    ['credit_note', 2, -111, invoice?.number],
    ['credit_note', 3, -222, invoice?.number],
    ['credit_note', 4, -117, invoice?.number],
  ]);
  expect(notes.reduce((sum, { tax }) => sum + tax, 0)).toBe(-72);
  expect(notes.reduce((sum, { net }) => sum + net, 0)).toBe(-378);
});

test('the lines have the discount, the setup fee and the period, and their tax adds up', async () => {
  const shop = await createPayShop(app, { setup_fee_amount: '1.00', setup_fee_description: 'Set-up' });
  await nameSeller(app, shop);
  const { code } = await createVoucher(app, shop.merchant, { discount: 50 });
  await paid(app, shop, cards.success, { voucher_code: code });
  const [invoice] = await issued(app, shop.merchant);
  expect(invoice).toMatchObject({
    gross: 325,
    seller: { name: 'News Ltd', tax_number: 'DE136695976' },
    lines: [
      { kind: 'item', text: 'Cup final', gross_minor: 450, starts_at: expect.any(Number) as number },
      { kind: 'discount', text: code, gross_minor: -225, starts_at: null },
      { kind: 'setup_fee', text: 'Set-up', gross_minor: 100 },
    ],
  });
  expect(invoice?.lines.reduce((sum, { tax_minor: tax }) => sum + tax, 0)).toBe(invoice?.tax);
});

test('a first period of a subscription has an invoice, and a free trial has none', async () => {
  const fee = { access_type: 'subscription', access_period: { quantity: 1, period: 'month' } };
  const shop = await createPayShop(app, fee);
  await nameSeller(app, shop);
  const { body } = await subscribe(app, shop);
  const { current_period_end: end } = await reaches(app, shop.consumer, body.subscription_id, 'active');
  const [invoice] = await issued(app, shop.merchant);
  expect(invoice).toMatchObject({ lines: [{ kind: 'item', ends_at: end }] });
  const trial = await createPayShop(app, fee);
  await nameSeller(app, trial);
  await giveTrial(app, trial.fee.id, [7, 'day']);
  const { body: tried } = await subscribe(app, trial);
  await reaches(app, trial.consumer, tried.subscription_id, 'trialing');
  expect(await issued(app, trial.merchant)).toEqual([]);
});

test('an invoice keeps the buyer as it was, also when the billing details change', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop);
  const details = { country: 'DE', name: 'Ana Ltd', city: 'Ulm', tax_number: 'DE136695976' };
  await call(app, 'PUT', '/v2/accounts/billing-details', details, shop.consumer);
  await paid(app, shop);
  await call(app, 'PUT', '/v2/accounts/billing-details', { country: 'FR', name: 'Other' }, shop.consumer);
  const text = 'SELECT name, city, tax_number, paid_with, last_four FROM invoice_buyers WHERE merchant_id = $1';
  expect((await app.pool.query(text, [shop.merchant.id])).rows).toEqual([
    { name: 'Ana Ltd', city: 'Ulm', tax_number: 'DE136695976', paid_with: 'visa', last_four: '4242' },
  ]);
});
