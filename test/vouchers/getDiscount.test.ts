import { type z } from 'zod';
import { type DiscountResponse } from '../../src/vouchers/discounts.schemas';
import { call } from '../support/client';
import {
  createConsumer,
  createFee,
  createItem,
  createShop,
  type Person,
  purchase,
  type Shop,
} from '../support/factories';
import { lengthenBlocks, letPass } from '../support/guesses';
import { type ErrorBody } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';
import { createPackage, createVoucher, giveGift } from '../support/vouchers';
import { reservationOf, reserve } from '../support/voucherUses';

type Discount = z.output<typeof DiscountResponse>;

let app: TestApp;
let shop: Shop;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());
beforeEach(async () => (shop = await createShop(app)));

const ask = <Body = Discount>(fields: Record<string, unknown>, caller: Pick<Person, 'token'> = shop.consumer) =>
  call<Body>(app, 'POST', '/vouchers/discount', fields, caller);
const make = (fields?: Record<string, unknown>) => createVoucher(app, shop.merchant, fields);

const notFound = { status: 404, body: { code: 404, message: 'Voucher not found', error: 'voucher_not_found' } };

test('200: what is left to pay, for a consumer and for the merchant, in any case of the code', async () => {
  const { code } = await make({ code: 'Spring' });
  for (const voucher_code of [code, 'SPRING', ' spring '])
    for (const caller of [shop.consumer, shop.merchant]) {
      const { status, body } = await ask({ voucher_code, access_fee_id: shop.fee.id }, caller);
      expect({ status, body }).toEqual({
        status: 200,
        body: { amount: 7.49, discount_duration: 1, first_charge: 7.49 },
      });
    }
});

test.each([
  ['EUR', '9.99', 25, 7.49],
  ['EUR', '0.90', 50, 0],
  ['EUR', '1.05', 50, 0.53],
  ['EUR', '12.50', 100, 0],
  ['JPY', '1001', 50, 501],
  ['JPY', '1000', 1, 990],
  ['JPY', '80', 50, 0],
  ['KWD', '9.990', 25, 7.49],
  ['KWD', '1.010', 50, 0.5],
])('200: %s %s less %i percent is %d', async (currency, amount, discount, left) => {
  const fee = await createFee(app, shop.merchant, shop.item.id, { currency, amount });
  const { code } = await make({ discount });
  const { body } = await ask({ voucher_code: code, access_fee_id: fee.id });
  expect(body.amount).toBe(left);
});

test('200: the setup fee is in the first charge alone, and how many charges are discounted is', async () => {
  const fee = await createFee(app, shop.merchant, shop.item.id, { amount: '10', setup_fee_amount: '5' });
  const repeating = await make({ discount_period: 'repeating', discount_duration: 3 });
  const forever = await make({ discount_period: 'forever' });
  const answer = async (voucher_code: string) => (await ask({ voucher_code, access_fee_id: fee.id })).body;
  expect(await answer(repeating.code)).toEqual({ amount: 7.5, discount_duration: 3, first_charge: 12.5 });
  expect(await answer(forever.code)).toEqual({ amount: 7.5, discount_duration: 0, first_charge: 12.5 });
});

test('200: with an item alone, its first fee on sale that the voucher is good for', async () => {
  const item = await createItem(app, shop.merchant);
  await createFee(app, shop.merchant, item.id, { amount: '1', expires_at: '2020-01-01' });
  await createFee(app, shop.merchant, item.id, { amount: '20' });
  const yearly = await createFee(app, shop.merchant, item.id, { amount: '200', period: 'year' });
  const any = await make({ discount: 10 });
  const bound = await make({ discount: 10, rules: [{ rule_type: 'access_fees', value: yearly.id }] });
  expect((await ask({ voucher_code: any.code, item_id: item.id })).body.amount).toBe(18);
  expect((await ask({ voucher_code: bound.code, item_id: item.id })).body.amount).toBe(180);
});

test('200: asking takes no use', async () => {
  const { id, code } = await make({ usage_limit: 1 });
  for (let time = 0; time < 3; time += 1)
    expect((await ask({ voucher_code: code, access_fee_id: shop.fee.id })).status).toBe(200);
  const { body } = await call(app, 'GET', `/vouchers/${id}`, undefined, shop.merchant);
  expect(body).toMatchObject({ usage_counter: 0 });
});

test('200: a use that was reserved and has lapsed is there again', async () => {
  const { id, code } = await make({ usage_limit: 1 });
  await reserve(reservationOf(shop, code));
  const fields = { voucher_code: code, access_fee_id: shop.fee.id };
  expect(await ask(fields)).toMatchObject(notFound);
  await app.pool.query('UPDATE voucher_uses SET lapses_at = now() WHERE voucher_id = $1', [id]);
  expect((await ask(fields)).status).toBe(200);
});

test('200: a gift leaves nothing to pay for the account that it was sent to', async () => {
  const receiver = await createConsumer(app, shop.merchant);
  const { code } = await giveGift(shop, receiver.email.toUpperCase());
  const fields = { voucher_code: code.toLowerCase(), access_fee_id: shop.fee.id };
  expect(await ask(fields, receiver)).toMatchObject({ status: 200, body: { amount: 0, discount_duration: 1 } });
  const fee = await createFee(app, shop.merchant, shop.item.id, { amount: '10', setup_fee_amount: '5' });
  const withSetup = await giveGift({ ...shop, fee }, receiver.email);
  const paid = await ask({ voucher_code: withSetup.code, access_fee_id: fee.id }, receiver);
  expect(paid.body).toMatchObject({ amount: 0, first_charge: 0 });
  for (const stranger of [shop.consumer, shop.merchant]) expect(await ask(fields, stranger)).toMatchObject(notFound);
});

test('404 voucher_not_found: one answer for whatever is no use here', async () => {
  const season = await createPackage(app, shop);
  const friend = await createConsumer(app, shop.merchant);
  const used = await make({ usage_limit: 1 });
  await app.pool.query('UPDATE vouchers SET usage_counter = 1 WHERE id = $1', [used.id]);
  const deleted = await make();
  await call(app, 'DELETE', `/vouchers/${deleted.id}`, undefined, shop.merchant);
  const useless = [
    { code: 'NOBODY-KNOWS' },
    await make({ end_date: '2020-02-01' }),
    await make({ start_date: '2090-01-01' }),
    used,
    deleted,
    await make({ rules: [{ rule_type: 'packages', value: season.id }] }),
    await make({ rules: [{ rule_type: 'emails', value: friend.id }] }),
    await createVoucher(app, (await createShop(app)).merchant),
  ];
  const answers = new Set<string>();
  for (const { code } of useless) {
    const asker = await createConsumer(app, shop.merchant);
    const reply = await ask({ voucher_code: code, access_fee_id: shop.fee.id }, asker);
    expect(reply).toMatchObject(notFound);
    answers.add(JSON.stringify(reply.body));
  }
  expect(answers.size).toBe(1);
});

test('404 access_fee_not_found: another merchant’s fee, one that is not sold, one of another item, an item without', async () => {
  const { code } = await make();
  const other = await createShop(app);
  const late = await createFee(app, shop.merchant, shop.item.id, { expires_at: '2020-01-01' });
  const item = await createItem(app, shop.merchant);
  for (const fields of [
    { access_fee_id: other.fee.id },
    { access_fee_id: late.id },
    { access_fee_id: shop.fee.id, item_id: item.id },
    { item_id: item.id },
  ])
    expect(await ask({ voucher_code: code, ...fields })).toMatchObject({
      status: 404,
      body: { error: 'access_fee_not_found' },
    });
});

test('404 item_not_found: another merchant’s item', async () => {
  const { code } = await make();
  const other = await createShop(app);
  expect(await ask({ voucher_code: code, item_id: other.item.id })).toMatchObject({
    status: 404,
    body: { error: 'item_not_found' },
  });
});

test('400 missing_parameter: no code, or no price', async () => {
  const missing = async (fields: Record<string, unknown>) => (await ask<ErrorBody>(fields)).body.errors;
  expect(await missing({ access_fee_id: shop.fee.id })).toEqual({
    voucher_code: 'The voucher_code must not be empty.',
  });
  expect(await missing({ voucher_code: 'SPRING' })).toEqual({ access_fee_id: 'The access_fee_id must not be empty.' });
});

describe('whoever guesses', () => {
  const wrong = () => ask<ErrorBody>({ voucher_code: 'NOBODY-KNOWS', access_fee_id: shop.fee.id });

  test('429 too_many_requests: after five wrong codes the account waits, also with a right one', async () => {
    const { code } = await make();
    for (let time = 0; time < 5; time += 1) expect(await wrong()).toMatchObject(notFound);
    await lengthenBlocks(app);
    expect(await wrong()).toMatchObject(notFound);
    const blocked = await wrong();
    expect(blocked).toMatchObject({ status: 429, body: { message: 'Too many requests' } });
    expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const right = { voucher_code: code, access_fee_id: shop.fee.id };
    expect((await ask(right)).status).toBe(429);
    const neighbour = await createConsumer(app, shop.merchant);
    expect((await ask(right, neighbour)).status).toBe(200);
    await letPass(app, '20 minutes');
    expect((await ask(right)).status).toBe(200);
  });

  test('429 too_many_requests: a right code in between forgives nothing', async () => {
    const { code } = await make();
    const right = { voucher_code: code, access_fee_id: shop.fee.id };
    for (let time = 0; time < 6; time += 1) {
      if (time === 5) await lengthenBlocks(app);
      expect((await ask(right)).status).toBe(200);
      expect(await wrong()).toMatchObject(notFound);
    }
    expect((await wrong()).status).toBe(429);
  });

  test('429 too_many_requests: after five failures, one of a hundred guesses at once is answered', async () => {
    for (let time = 0; time < 5; time += 1) expect(await wrong()).toMatchObject(notFound);
    await lengthenBlocks(app);
    const replies = await Promise.all(Array.from({ length: 100 }, wrong));
    expect(replies.filter(({ status }) => status === 404)).toHaveLength(1);
    expect(replies.every(({ status }) => status === 404 || status === 429)).toBe(true);
  });

  test('404 or 429: every answered guess of a hundred at once is counted', async () => {
    const replies = await Promise.all(Array.from({ length: 100 }, wrong));
    const answered = replies.filter(({ status }) => status === 404).length;
    const { rows } = await app.pool.query<{ failures: number }>('SELECT failures FROM wrong_guesses ORDER BY failures');
    expect(rows.map(({ failures }) => failures)).toContain(answered);
    expect(answered).toBeGreaterThanOrEqual(6);
  });
});

describe('conditions of a voucher', () => {
  const buy = (voucher_code: string) =>
    call(app, 'POST', '/subscriptions', { ...purchase(shop), voucher_code }, shop.consumer);

  test('422 voucher_customer_limit: a customer over the limit; the merchant and others get the price', async () => {
    const { code } = await make({ usage_limit_per_customer: 1 });
    const fields = { voucher_code: code, access_fee_id: shop.fee.id };
    expect((await ask(fields)).status).toBe(200);
    expect((await buy(code)).status).toBe(202);
    expect(await ask<ErrorBody>(fields)).toMatchObject({ status: 422, body: { error: 'voucher_customer_limit' } });
    for (const caller of [shop.merchant, await createConsumer(app, shop.merchant)])
      expect((await ask(fields, caller)).status).toBe(200);
  });

  test('422 voucher_new_customers_only: a customer who has bought with another voucher', async () => {
    const fields = { voucher_code: (await make({ new_customers_only: true })).code, access_fee_id: shop.fee.id };
    expect((await ask(fields)).status).toBe(200);
    expect((await buy((await make({})).code)).status).toBe(202);
    expect(await ask<ErrorBody>(fields)).toMatchObject({ status: 422, body: { error: 'voucher_new_customers_only' } });
  });

  test('422 voucher_currency: an amount in another currency than the price', async () => {
    const { code } = await make({ discount: undefined, discount_amount: 2, discount_currency: 'USD' });
    expect(await ask<ErrorBody>({ voucher_code: code, access_fee_id: shop.fee.id })).toMatchObject({
      status: 422,
      body: { error: 'voucher_currency' },
    });
  });
});
