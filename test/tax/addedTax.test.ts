import { call, listen } from '../support/client';
import { cards, createConsumer, purchase, reaches, subscribe, type Shop, type Submitted } from '../support/factories';
import { giveCredit } from '../support/balances';
import { issued } from '../support/invoices';
import { journalFaults } from '../support/journal';
import { createPayShop, paid, pay, refund, refunded } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { nameNetSeller, nameSeller, taxedCharges } from '../support/tax';
import { passDays } from '../support/testClock';
import { until } from '../support/until';
import { createVoucher } from '../support/vouchers';

/** Purchases of merchants whose prices are without tax. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const monthly = { access_type: 'subscription', quantity: 1, period: 'month', amount: '10.00' };

async function createNetShop(fee: Record<string, unknown> = {}): Promise<Shop> {
  const shop = await createPayShop(app, { amount: '10.00', ...fee });
  await nameNetSeller(app, shop);
  return shop;
}

const whole = { net: 1000, tax: 190, gross: 1190, balance: 0, rate: 19_000, country: 'DE', status: 'paid' };

test('the tax is added to the price of a one-time payment, and refunds return it exactly', async () => {
  const shop = await createNetShop();
  const channel = await listen(app, shop.consumer);
  const token = await paid(app, shop);
  const { resource } = await channel.hears('payment.card.success');
  expect(resource).toMatchObject({ amount: '11.90', net_amount: '10.00', tax_amount: '1.90', tax_rate: 19 });
  await channel.close();
  expect(await taxedCharges(app, shop.merchant)).toMatchObject([whole]);
  await refund(app, shop.merchant, token, { amount: '5.00' });
  await refunded(app, token);
  await refund(app, shop.merchant, token);
  await refunded(app, token, 2);
  const documents = await issued(app, shop.merchant);
  expect(documents.map(({ net, tax, gross }) => [net, tax, gross])).toEqual([
    [1000, 190, 1190],
    [-420, -80, -500],
    [-580, -110, -690],
  ]);
  expect(await journalFaults(app.pool, shop.merchant.id)).toEqual([]);
});

test('the total must be what the payer was shown: 409 with the total, and the quote tells it before', async () => {
  const shop = await createNetShop();
  const { body } = await call(app, 'GET', `/v2/tax/quotes/${shop.fee.id}`, undefined, shop.consumer);
  const amounts = { amount: 11.9, net_amount: 10, tax_amount: 1.9, tax_rate: 19, tax_country: 'DE' };
  expect(body).toEqual({
    ...amounts,
    shown_with_tax: true,
    has_tax: true,
    currency: 'EUR',
    treatment: 'domestic',
    tax_behavior: 'exclusive',
  });
  const refused = await pay(app, shop, cards.success, { expected_amount: '10.00' });
  expect(refused).toMatchObject({
    status: 409,
    body: { error: 'price_changed', total: { amount: 11.9, currency: 'EUR' } },
  });
  await paid(app, shop, cards.success, { expected_amount: '11.90' });
});

test('a voucher is taken off before the tax, and the price with it tells what will be charged', async () => {
  const shop = await createNetShop();
  const { code } = await createVoucher(app, shop.merchant, { discount: 25 });
  const asked = { voucher_code: code, access_fee_id: shop.fee.id };
  const { body } = await call(app, 'POST', '/vouchers/discount', asked, shop.consumer);
  const amounts = { amount: 7.5, first_charge: 8.93, first_net_amount: 7.5, tax_behavior: 'exclusive' };
  expect(body).toEqual({ ...amounts, discount_duration: 1 });
  await paid(app, shop, cards.success, { voucher_code: code, expected_amount: '8.93' });
  expect(await taxedCharges(app, shop.merchant)).toMatchObject([{ net: 750, tax: 143, gross: 893 }]);
  const [invoice] = await issued(app, shop.merchant);
  expect(invoice?.lines).toMatchObject([
    { kind: 'item', net_minor: 1000 },
    { kind: 'discount', net_minor: -250 },
  ]);
});

test('a voucher for the whole price leaves no tax', async () => {
  const shop = await createNetShop(monthly);
  const { code } = await createVoucher(app, shop.merchant, { discount: 100 });
  const body = { ...purchase(shop), voucher_code: code, expected_amount: '0' };
  const { body: begun } = await call<Submitted>(app, 'POST', '/subscriptions', body, shop.consumer);
  await reaches(app, shop.consumer, begun.subscription_id, 'active');
  expect(await taxedCharges(app, shop.merchant)).toMatchObject([{ gross: 0, net: null }]);
  await passDays(app, shop.merchant, 32);
  const charges = await until(async () => {
    const rows = await taxedCharges(app, shop.merchant);
    return rows[1]?.status === 'paid' && rows;
  });
  expect(charges[1]).toMatchObject(whole);
});

test('the address that the payer enters changes the total', async () => {
  const shop = await createNetShop();
  await nameSeller(app, shop, [{ country: 'CA', region: 'CA-ON', scheme: 'domestic' }], { prices_include_tax: false });
  const total = async () =>
    (await call<{ amount: number }>(app, 'GET', `/v2/tax/quotes/${shop.fee.id}`, undefined, shop.consumer)).body.amount;
  const moveTo = (details: Record<string, unknown>) =>
    call(app, 'PUT', '/v2/accounts/billing-details', details, shop.consumer);
  expect(await total()).toBe(11.9);
  await moveTo({ country: 'AT', tax_number: 'ATU13585627' });
  expect(await total()).toBe(10);
  await moveTo({ country: 'GB' });
  expect(await total()).toBe(10);
  await paid(app, shop, cards.success, { expected_amount: '10.00' });
  expect(await taxedCharges(app, shop.merchant)).toMatchObject([{ net: 1000, tax: 0, gross: 1000, country: 'GB' }]);
});

test('the setup fee is taxed with the first period, a renewal is taxed alone, and the invoices have the net prices', async () => {
  const shop = await createNetShop({ ...monthly, setup_fee_amount: '3.33' });
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  await passDays(app, shop.merchant, 32);
  await until(
    async () => (await taxedCharges(app, shop.merchant)).filter(({ status }) => status === 'paid').length === 2,
  );
  const rows = await app.pool.query<{ paid_minor: string }>('SELECT paid_minor FROM subscriptions WHERE token = $1', [
    body.subscription_id,
  ]);
  expect(rows.rows).toEqual([{ paid_minor: 1190 }]);
  const [first, renewal] = await taxedCharges(app, shop.merchant);
  expect([first, renewal]).toMatchObject([{ net: 1333, tax: 253, gross: 1586 }, whole]);
  const [invoice] = await issued(app, shop.merchant);
  expect(invoice?.lines).toMatchObject([
    { kind: 'item', net_minor: 1000, tax_minor: 190, gross_minor: 1190 },
    { kind: 'setup_fee', net_minor: 333, tax_minor: 63, gross_minor: 396 },
  ]);
});

test('credit is money with tax: it is taken from the total, and the tax of the rest is charged', async () => {
  const shop = await createNetShop();
  await giveCredit(app, shop.consumer.id, 500);
  await paid(app, shop, cards.success, { expected_amount: '6.90' });
  expect(await taxedCharges(app, shop.merchant)).toMatchObject([{ net: 580, tax: 110, gross: 690, balance: 500 }]);
  const [invoice] = await issued(app, shop.merchant);
  expect(invoice).toMatchObject({ net: 580, tax: 110, gross: 690 });
  expect(invoice?.lines).toMatchObject([
    { kind: 'item', net_minor: 1000, tax_minor: 190, gross_minor: 1190 },
    { kind: 'balance', net_minor: -420, tax_minor: -80, gross_minor: -500 },
  ]);
  expect(await journalFaults(app.pool, shop.merchant.id)).toEqual([]);
});

test.each([
  ['JPY', '105', 105, 11, 116],
  ['KWD', '1.050', 1050, 210, 1260],
])('%s is rounded in its own unit', async (currency, amount, net, tax, gross) => {
  const shop = await createPayShop(app, { amount, currency });
  const fields = { prices_include_tax: false, country: currency === 'JPY' ? 'JP' : 'GB' };
  await nameSeller(app, shop, [{ country: fields.country, scheme: 'domestic' }], fields);
  await call(app, 'PUT', '/v2/accounts/billing-details', { country: fields.country }, shop.consumer);
  await paid(app, shop);
  expect(await taxedCharges(app, shop.merchant)).toMatchObject([{ net, tax, gross }]);
});

test('a trial charges the price and its tax at its end', async () => {
  const shop = await createNetShop({ ...monthly, trial_period_quantity: 7, trial_period_period: 'day' });
  const { body } = await subscribe(app, shop);
  const row = await reaches(app, shop.consumer, body.subscription_id, 'trialing');
  expect(row).toMatchObject({ subscription_price: 10, next_amount: 11.9 });
  await passDays(app, shop.merchant, 8);
  const charges = await until(async () => {
    const found = await taxedCharges(app, shop.merchant);
    return found[0]?.status === 'paid' && found;
  });
  expect(charges).toMatchObject([whole]);
});

test('a gift is paid with its tax, and its receiver pays nothing', async () => {
  const shop = await createNetShop();
  const receiver = await createConsumer(app, shop.merchant);
  await paid(app, shop, cards.success, { is_gift: true, receiver_email: receiver.email });
  expect(await taxedCharges(app, shop.merchant)).toMatchObject([whole]);
  const code = await until(async () => {
    const path = `/test-mailbox?to=${receiver.email}`;
    const { body } = await call<{ collection: { text: string }[] }>(app, 'GET', path, undefined, shop.merchant);
    return /\b[A-Z\d]{12}\b/.exec(body.collection[0]?.text ?? '')?.[0];
  });
  const redeemed = await call(app, 'POST', '/payments', { access_fee: shop.fee.id, voucher_code: code }, receiver);
  expect(redeemed.status).toBe(200);
  await until(async () => (await taxedCharges(app, shop.merchant)).length === 2);
  expect((await taxedCharges(app, shop.merchant))[1]).toMatchObject({ gross: 0, net: null });
  expect(await journalFaults(app.pool, shop.merchant.id)).toEqual([]);
});

test('a merchant with prices that include tax is not affected by another one', async () => {
  const [other, shop] = [await createNetShop(), await createPayShop(app, { amount: '10.00' })];
  await nameSeller(app, shop);
  await paid(app, other);
  await paid(app, shop);
  expect(await taxedCharges(app, shop.merchant)).toMatchObject([{ net: 840, tax: 160, gross: 1000 }]);
});
