import { giveCredit } from '../../support/balances';
import { createBrand } from '../../support/branding';
import { cards, createConsumer, createMerchant, type Person } from '../../support/factories';
import { createPayShop, paid, pay, refund, refunded, settles, withFee } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';
import { wordsOf } from '../../support/receipts';
import { createVoucher } from '../../support/vouchers';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const read = (trxToken: string, { token }: Person, headers: Record<string, string> = {}) =>
  fetch(`${app.address}/v2/accounting/transactions/${trxToken}/receipt`, {
    headers: { Authorization: `Bearer ${token}`, ...headers },
  });

test('200: names who sold what to whom, when, and for how much', async () => {
  const shop = await createPayShop(app, { setup_fee_amount: '1.00', setup_fee_description: 'Set-up' });
  const token = await paid(app, shop);
  const response = await read(token, shop.consumer);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  expect(response.headers.get('content-disposition')).toBe(`inline; filename="receipt-${token}.pdf"`);
  const words = await wordsOf(response);
  for (const expected of [
    'Ana Petrova',
    token,
    shop.consumer.email,
    'Visa ending in 4242',
    'Cup final',
    'Two days',
    '€4.50',
    'Set-up',
    '€1.00',
    'Total paid',
    '€5.50',
    String(new Date().getUTCFullYear()),
  ])
    expect(words).toContain(expected);
});

test.each([
  ['de', 'Beleg', 'Visa mit Endziffern 4242', 'Gesamtbetrag'],
  ['fr', 'Reçu', 'Visa se terminant par 4242', 'Total payé'],
  ['ar', '4242', 'Visa', 'EUR'],
  ['tr', 'Makbuz', 'Son hanesi 4242 olan Visa', 'Toplam ödenen'],
])('200: the language of the reader: %s', async (language, title, card, total) => {
  const shop = await createPayShop(app);
  const words = await wordsOf(await read(await paid(app, shop), shop.consumer, { 'Accept-Language': language }));
  for (const expected of [title, card, total]) expect(words).toContain(expected);
});

test.each([
  ['Voucher of 2 euros', { discount: undefined, discount_amount: 2, discount_currency: 'EUR' }, '€2.50', '-€2.00'],
  ['Voucher of 50 %', { discount: 50 }, '€2.25', '-€2.25'],
])('200: shows the discount of a voucher: %s', async (_name, fields, left, off) => {
  const shop = await createPayShop(app);
  const { code } = await createVoucher(app, shop.merchant, fields);
  const words = await wordsOf(await read(await paid(app, shop, cards.success, { voucher_code: code }), shop.consumer));
  for (const expected of [`Voucher ${code}`, '€4.50', off, left]) expect(words).toContain(expected);
});

test('200: tells what went back, by the token of the refund as well', async () => {
  const shop = await createPayShop(app);
  const token = await paid(app, shop);
  await refund(app, shop.merchant, token, { amount: '1.25' });
  const [given] = await refunded(app, token);
  for (const each of [token, given?.token ?? '']) {
    const words = await wordsOf(await read(each, shop.consumer));
    expect(words).toMatch(/Refunded on[^]*-€1\.25|-€1\.25[^]*Refunded on/);
  }
});

test.each<[string, number, string[]]>([
  ['a credit used', 200, ['€4.50', 'Paid from your balance', '-€2.00', '€2.50', 'Visa ending in 4242']],
  ['a debt collected', -300, ['€4.50', 'Owed from before', '€3.00', '€7.50', 'Visa ending in 4242']],
  ['a credit that paid all of it', 450, ['€4.50', 'Paid from your balance', '-€4.50', '€0.00', 'Your balance']],
])('200: %s has a line of its own', async (_, creditMinor, expected) => {
  const shop = await createPayShop(app);
  await giveCredit(app, shop.consumer.id, creditMinor);
  const words = await wordsOf(await read(await paid(app, shop), shop.consumer));
  for (const word of expected) expect(words).toContain(word);
});

test('200: in the name of the brand that it was bought in, beside its seller’s', async () => {
  const shop = await createPayShop(app);
  const fields = { brand_name: 'The Match Club', default: false };
  const brandingId = await createBrand({ app, merchant: shop.merchant }, fields);
  const words = await wordsOf(
    await read(await paid(app, shop, cards.success, { branding_id: brandingId }), shop.consumer),
  );
  expect(words).toContain('The Match Club');
  expect(words).toMatch(/Sold by[^]*Ana Petrova|Ana Petrova[^]*Sold by/);
  const plain = await wordsOf(await read(await paid(app, await withFee(app, shop, payFee)), shop.consumer));
  expect(plain).not.toContain('The Match Club');
});

const payFee = { access_type: 'ppv', quantity: 9, period: 'day', amount: '9.00', description: 'Nine days' };

test('200: the merchant reads its customers’', async () => {
  const shop = await createPayShop(app);
  expect((await read(await paid(app, shop), shop.merchant)).status).toBe(200);
});

test('404 payment_not_found: another’s, one that was not paid, one that never was', async () => {
  const shop = await createPayShop(app);
  const token = await paid(app, shop);
  const { body } = await pay(app, { ...shop, consumer: await createConsumer(app, shop.merchant) }, cards.declined);
  await settles(app, body.transaction, 'failed');
  for (const [each, reader] of [
    [token, await createConsumer(app, shop.merchant)],
    [token, await createMerchant(app)],
    [body.transaction, shop.merchant],
    ['C-nothing-SB', shop.consumer],
  ] as const)
    expect((await read(each, reader)).status).toBe(404);
});
