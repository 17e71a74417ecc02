import { call } from '../support/client';
import { createFee, createShop, purchase, type Shop, type Submitted } from '../support/factories';
import { type ErrorBody } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';
import { giveGift, voucherFields, type Voucher } from '../support/vouchers';

/** Vouchers with an amount instead of a percentage. No worker runs here. */

let app: TestApp;
let shop: Shop;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());
beforeEach(async () => (shop = await createShop(app)));

const { discount: percent, ...named } = voucherFields;
const create = <Body = Voucher>(fields: Record<string, unknown>) =>
  call<Body>(app, 'POST', '/vouchers', { ...named, ...fields }, shop.merchant);
const make = async (amount: number, currency = 'EUR', fields: Record<string, unknown> = {}) =>
  (await create({ discount_amount: amount, discount_currency: currency, ...fields })).body;
const patch = <Body = Voucher>(id: number, fields: Record<string, unknown>) =>
  call<Body>(app, 'PATCH', `/v2/vouchers/${id}`, fields, shop.merchant);
const ask = <Body = { amount: number; first_charge: number }>(fields: Record<string, unknown>) =>
  call<Body>(app, 'POST', '/vouchers/discount', fields, shop.consumer);

describe('terms', () => {
  test('201: an amount with its currency in upper or lower case, and its replacement; the percentage is 0', async () => {
    const { status, body } = await create({
      discount_amount: '2.5',
      rebill_discount_amount: 0,
      discount_currency: ' eur ',
      discount_period: 'forever',
    });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        ...{ discount: 0, rebill_discount: null },
        ...{ discount_amount: 2.5, rebill_discount_amount: 0, discount_currency: 'EUR' },
      },
    });
  });

  test.each([
    ['discount', 400, {}],
    ['discount_currency', 400, { discount_amount: 1 }],
    ['discount_currency', 422, { discount_amount: 1, discount_currency: 'EURO' }],
    ['discount_currency', 422, { discount: 10, discount_currency: 'EUR' }],
    ['rebill_discount_amount', 422, { discount: 10, rebill_discount_amount: 1 }],
    ['discount', 422, { discount: 10, discount_amount: 1, discount_currency: 'EUR' }],
    ['rebill_discount', 422, { rebill_discount: 10, discount_amount: 1, discount_currency: 'EUR' }],
    ['discount_amount', 422, { discount_amount: 0, discount_currency: 'EUR' }],
    ['discount_amount', 422, { discount_amount: -1, discount_currency: 'EUR' }],
    ['discount_amount', 422, { discount_amount: 1.001, discount_currency: 'EUR' }],
    ['discount_amount', 422, { discount_amount: 0.5, discount_currency: 'JPY' }],
    ['discount_amount', 422, { discount_amount: 1.0001, discount_currency: 'KWD' }],
    ['rebill_discount_amount', 422, { discount_amount: 1, rebill_discount_amount: 0.001, discount_currency: 'EUR' }],
  ])('%s is named with %i: %j', async (name, status, fields) => {
    const reply = await create<ErrorBody>(fields);
    expect({ status: reply.status, names: Object.keys(reply.body.errors ?? {}) }).toEqual({ status, names: [name] });
  });

  test('200: fields that are not sent stay; an amount replaces a percentage, and the reverse', async () => {
    const { id } = (await create({ discount: percent, rebill_discount: 5 })).body;
    const amount = { discount_amount: 3, discount_currency: 'EUR' };
    const isFixed = { discount: 0, rebill_discount: null, ...amount };
    expect((await patch(id, amount)).body).toMatchObject(isFixed);
    expect((await patch(id, { name: 'Autumn' })).body).toMatchObject(isFixed);
    expect((await patch(id, { rebill_discount_amount: 1 })).body).toMatchObject({
      ...isFixed,
      rebill_discount_amount: 1,
    });
    const reply = await patch<ErrorBody>(id, { discount_currency: 'USD' });
    expect(reply.status).not.toBe(200);
    expect((await patch(id, { discount: 40 })).body).toMatchObject({
      ...{ discount: 40, discount_amount: null, rebill_discount_amount: null, discount_currency: null },
    });
    expect((await patch<ErrorBody>(id, { rebill_discount_amount: 1 })).body.errors).toHaveProperty(
      'rebill_discount_amount',
    );
  });
});

describe('discounted prices', () => {
  test.each([
    ['EUR', '9.99', 2.5, 7.49],
    ['EUR', '9.99', 9.99, 0],
    ['EUR', '9.99', 50, 0],
    ['EUR', '9.99', 9.49, 0.5],
    ['EUR', '9.99', 9.5, 0],
    ['JPY', '1001', 500, 501],
    ['JPY', '1000', 999, 0],
    ['KWD', '9.990', 2.5, 7.49],
    ['KWD', '9.990', 0.123, 9.86],
    ['KWD', '9.990', 9.99, 0],
  ])('%s %s less %d is %d', async (currency, amount, off, left) => {
    const fee = await createFee(app, shop.merchant, shop.item.id, { currency, amount });
    const { code } = await make(off, currency);
    const { status, body } = await ask({ voucher_code: code, access_fee_id: fee.id });
    expect({ status, body }).toMatchObject({ status: 200, body: { amount: left, first_charge: left } });
  });

  test('200: the setup fee has no discount', async () => {
    const fee = await createFee(app, shop.merchant, shop.item.id, { amount: '10', setup_fee_amount: '5' });
    const { code } = await make(12);
    const { body } = await ask({ voucher_code: code, access_fee_id: fee.id });
    expect(body).toMatchObject({ amount: 0, first_charge: 5 });
  });

  test('422 voucher_currency: a price in another currency, for the discount and for the purchase', async () => {
    const { code } = await make(2, 'USD');
    const refused = {
      status: 422,
      body: {
        error: 'voucher_currency',
        errors: { voucher_code: 'The voucher_code takes off an amount in USD, and the price is in another currency.' },
      },
    };
    expect(await ask<ErrorBody>({ voucher_code: code, access_fee_id: shop.fee.id })).toMatchObject(refused);
    const fields = { ...purchase(shop), voucher_code: code };
    expect(await call<ErrorBody>(app, 'POST', '/subscriptions', fields, shop.consumer)).toMatchObject(refused);
    const { rows } = await app.pool.query('SELECT FROM voucher_uses WHERE merchant_id = $1', [shop.merchant.id]);
    expect(rows).toEqual([]);
  });

  test('200: the fee of the item in the currency of the voucher', async () => {
    await createFee(app, shop.merchant, shop.item.id, { currency: 'USD', amount: '20' });
    const { code } = await make(2, 'USD');
    expect((await ask({ voucher_code: code, item_id: shop.item.id })).body).toMatchObject({ amount: 18 });
  });

  test('200: a gift is still free', async () => {
    const { code } = await giveGift(shop, shop.consumer.email);
    expect((await ask({ voucher_code: code, access_fee_id: shop.fee.id })).body).toMatchObject({ amount: 0 });
  });
});

test('202: a purchase keeps the amount of its time, and a price of zero needs no card', async () => {
  const { id, code } = await make(50, 'EUR', { discount_period: 'forever' });
  const fields = { access_fee: shop.fee.id, voucher_code: code };
  const { status, body } = await call<Submitted>(app, 'POST', '/subscriptions', fields, shop.consumer);
  expect(status).toBe(202);
  await patch(id, { discount_amount: 1 });
  const { rows } = await app.pool.query(
    `SELECT s.discount_percent, s.discount_minor, s.rebill_minor, s.auto_renew, u.discount_minor AS used
     FROM subscriptions s JOIN voucher_uses u ON u.subject = s.token WHERE s.token = $1`,
    [body.subscription_id],
  );
  expect(rows).toEqual([
    { discount_percent: 0, discount_minor: 5000, rebill_minor: null, auto_renew: true, used: 5000 },
  ]);
});
