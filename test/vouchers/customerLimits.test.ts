import { randomUUID } from 'node:crypto';
import { call } from '../support/client';
import {
  createConsumer,
  createFee,
  createItem,
  createShop,
  purchase,
  type Person,
  type Shop,
  type Submitted,
} from '../support/factories';
import { type ErrorBody } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';
import { createVoucher, giveGift, type Voucher } from '../support/vouchers';
import {
  confirm,
  giveBack,
  hold,
  lapse as lapseIn,
  release,
  reservationOf,
  reserve,
  usageCounterOf,
  type Reservation,
} from '../support/voucherUses';

/** The conditions of a voucher on its customer. No worker runs here. */

let app: TestApp;
let shop: Shop;

beforeAll(async () => (app = await startApp({ DATABASE_POOL: '20' })));
afterAll(() => app.stop());
beforeEach(async () => (shop = await createShop(app)));

const make = (fields: Record<string, unknown>) => createVoucher(app, shop.merchant, fields);
const wanted = (code: string, of: Partial<Reservation> = {}) => reservationOf(shop, code, of);
const lapse = (subject: string) => lapseIn(app.pool, subject);
const counterOf = ({ id }: Pick<Voucher, 'id'>) => usageCounterOf(app.pool, id);

async function anotherItem(): Promise<Shop> {
  const item = await createItem(app, shop.merchant);
  return { ...shop, item, fee: await createFee(app, shop.merchant, item.id) };
}
const submit = <Body = Submitted>(of: Shop, voucher_code: string, person: Person = of.consumer) =>
  call<Body>(app, 'POST', '/subscriptions', { ...purchase(of), voucher_code }, person);
const ask = (voucher_code: string, person: Pick<Person, 'token'> = shop.consumer) =>
  call<ErrorBody>(app, 'POST', '/vouchers/discount', { voucher_code, access_fee_id: shop.fee.id }, person);

const limitReached = { code: 'voucher_customer_limit' };
const forNewOnly = { code: 'voucher_new_customers_only' };
const refusedWith = (error: string, text: string) => ({
  status: 422,
  body: { message: `Invalid input: ${text}`, error, errors: { voucher_code: text } },
});
const onceOnly = refusedWith(
  'voucher_customer_limit',
  'The voucher_code is limited to 1 use per customer, and you have used it as often.',
);
const newOnly = refusedWith('voucher_new_customers_only', 'The voucher_code is for new customers only.');

describe('usage_limit_per_customer', () => {
  test.each([1, 2])('422 voucher_customer_limit: one of a customer’s %i + 1 purchases at once', async (limit) => {
    const voucher = await make({ usage_limit_per_customer: limit });
    const shops = [shop, await anotherItem(), await anotherItem()].slice(0, limit + 1);
    const replies = await Promise.all(shops.map((of) => submit<ErrorBody>(of, voucher.code)));
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array<number>(limit).fill(202), 422]);
    expect(replies.find(({ status }) => status === 422)?.body.errors).toHaveProperty('voucher_code');
    expect(await counterOf(voucher)).toBe(limit);
    expect((await submit(shop, voucher.code, await createConsumer(app, shop.merchant))).status).toBe(202);
  });

  test('each of two customers gets three of 50 reservations at once', async () => {
    const voucher = await make({ usage_limit_per_customer: 3 });
    const friend = await createConsumer(app, shop.merchant);
    const people = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? shop.consumer : friend));
    const granted = await Promise.all(
      people.map(async ({ id }) => {
        const reserved = await reserve(wanted(voucher.code, { accountId: id })).catch((error: unknown) => {
          expect(error).toMatchObject(limitReached);
        });
        return reserved && id;
      }),
    );
    for (const { id } of [shop.consumer, friend]) expect(granted.filter((one) => one === id)).toHaveLength(3);
    expect(await counterOf(voucher)).toBe(6);
  });

  test('a failed purchase and a full refund return the use', async () => {
    const { code } = await make({ usage_limit_per_customer: 1 });
    const [failed, refunded, last] = [wanted(code), wanted(code), wanted(code)];
    await reserve(failed);
    await release(failed.subject);
    await reserve(refunded);
    await confirm(refunded.subject);
    await expect(reserve(last)).rejects.toMatchObject(limitReached);
    await giveBack(refunded.subject);
    await reserve(last);
    expect(await reserve(last)).toMatchObject({ code });
  });

  test('an expired reservation gives its use to the next one, and cannot be used as well', async () => {
    const voucher = await make({ usage_limit_per_customer: 1 });
    const [slow, next] = [wanted(voucher.code), wanted(voucher.code)];
    await reserve(slow);
    await lapse(slow.subject);
    await reserve(next);
    expect(await hold(slow.subject)).toBe(false);
    expect(await counterOf(voucher)).toBe(1);
    await release(next.subject);
    expect(await hold(slow.subject)).toBe(true);
    await expect(reserve(wanted(voucher.code))).rejects.toMatchObject(limitReached);
  });

  test('one reservation remains if an expired one is renewed while another is made', async () => {
    const voucher = await make({ usage_limit_per_customer: 1 });
    for (let time = 0; time < 10; time += 1) {
      const [slow, next] = [wanted(voucher.code), wanted(voucher.code)];
      await reserve(slow);
      await lapse(slow.subject);
      const [isHeld, reserved] = await Promise.all([hold(slow.subject), reserve(next).catch(() => undefined)]);
      expect([isHeld, reserved !== undefined].filter(Boolean)).toHaveLength(1);
      expect(await counterOf(voucher)).toBe(1);
      for (const { subject } of [slow, next]) await release(subject);
    }
  });

  test('422 voucher_customer_limit: the discount answers it too, and not to other customers', async () => {
    const { code } = await make({ usage_limit_per_customer: 1 });
    expect((await ask(code)).status).toBe(200);
    await reserve(wanted(code));
    expect(await ask(code)).toMatchObject(onceOnly);
    expect((await ask(code, await createConsumer(app, shop.merchant))).status).toBe(200);
    expect((await ask(code, shop.merchant)).status).toBe(200);
    expect(await submit(shop, code)).toMatchObject(onceOnly);
  });

  test('200: the limit is shown, changed and replaced; without it there is none', async () => {
    expect(await make({})).toMatchObject({ usage_limit_per_customer: null, new_customers_only: false });
    const fields = { usage_limit_per_customer: 2, new_customers_only: true };
    const { id, name, discount, start_date } = await make(fields);
    const send = (method: 'GET' | 'PATCH' | 'PUT', path: string, body?: Record<string, unknown>) =>
      call<Voucher>(app, method, path, body, shop.merchant);
    expect((await send('GET', `/vouchers/${id}`)).body).toMatchObject(fields);
    const patched = await send('PATCH', `/v2/vouchers/${id}`, { name: 'Autumn' });
    expect(patched.body).toMatchObject(fields);
    const changed = await send('PATCH', `/v2/vouchers/${id}`, { new_customers_only: 'false' });
    expect(changed.body).toMatchObject({ ...fields, new_customers_only: false });
    const replaced = await send('PUT', `/vouchers/${id}`, { name, discount, start_date });
    expect(replaced.body).toMatchObject({ usage_limit_per_customer: null, new_customers_only: false });
  });

  test('422 invalid_input: 0, a fraction, and a value that is not a boolean', async () => {
    const fields = { name: 'Spring', discount: 25, start_date: '2020-01-01T00:00:00Z' };
    const wrong = { usage_limit_per_customer: [0, -1, 1.5, 'many', 2 ** 31], new_customers_only: ['perhaps'] };
    for (const [name, values] of Object.entries(wrong))
      for (const value of values) {
        const { status, body } = await call<ErrorBody>(
          app,
          'POST',
          '/vouchers',
          { ...fields, [name]: value },
          shop.merchant,
        );
        expect({ status, names: Object.keys(body.errors ?? {}) }).toEqual({ status: 422, names: [name] });
      }
  });
});

describe('new_customers_only', () => {
  const isWelcome = async (code: string) => (await ask(code)).status === 200;

  test('202: a new customer; 422: the next purchase, even while the first is in progress', async () => {
    const { code } = await make({ new_customers_only: true });
    expect(await isWelcome(code)).toBe(true);
    expect((await submit(shop, code)).status).toBe(202);
    expect(await ask(code)).toMatchObject(newOnly);
    expect(await submit(await anotherItem(), code)).toMatchObject(newOnly);
  });

  test('422 voucher_new_customers_only: one of two purchases at once with two vouchers', async () => {
    const codes = [await make({ new_customers_only: true }), await make({ new_customers_only: true })];
    const results = await Promise.allSettled(codes.map(({ code }) => reserve(wanted(code))));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: forNewOnly });
  });

  test('after a failed purchase a customer is still new, after a use of another voucher not', async () => {
    const { code } = await make({ new_customers_only: true });
    const other = await make({});
    const [failed, used] = [wanted(code), wanted(other.code)];
    await reserve(failed);
    await release(failed.subject);
    expect(await isWelcome(code)).toBe(true);
    await reserve(used);
    await confirm(used.subject);
    expect(await ask(code)).toMatchObject(newOnly);
    await expect(reserve(wanted(code))).rejects.toMatchObject(forNewOnly);
  });

  test.each([
    ['paid', 999, false],
    ['paid', 0, true],
    ['declined', 999, true],
  ])('a charge that is %s over %i: new is %s', async (status, amountMinor, isNew) => {
    const { code } = await make({ new_customers_only: true });
    const { body } = await call<Submitted>(app, 'POST', '/subscriptions', purchase(shop), shop.consumer);
    await app.pool.query(
      `INSERT INTO charges (merchant_id, account_id, subscription_id, access_fee_id, cycle, attempt, idempotency_key,
         amount_minor, currency, status, settled_at)
       SELECT merchant_id, account_id, id, access_fee_id, 1, 1, token || ':1:1', $2, currency, $3, now()
       FROM subscriptions WHERE token = $1`,
      [body.subscription_id, amountMinor, status],
    );
    expect(await isWelcome(code)).toBe(isNew);
  });

  test('after an app store purchase a customer is not new', async () => {
    const { code } = await make({ new_customers_only: true });
    await app.pool.query(
      `INSERT INTO store_purchases (token, merchant_id, account_id, item_id, access_fee_id, store, environment,
         original_id, transaction_id, product_id, kind, state, is_trial, auto_renew, purchased_at, as_of)
       VALUES ($1, $2, $3, $4, $5, 'apple', 'production', $1, $1, 'p', 'one_time', 'pending', false, false, now(), now())`,
      [`x-${randomUUID()}`, shop.merchant.id, shop.consumer.id, shop.item.id, shop.fee.id],
    );
    expect(await isWelcome(code)).toBe(true);
    await app.pool.query(`UPDATE store_purchases SET state = 'expired' WHERE account_id = $1`, [shop.consumer.id]);
    expect(await ask(code)).toMatchObject(newOnly);
  });

  test('after a received gift or a purchase at another merchant a customer is still new', async () => {
    const { code } = await make({ new_customers_only: true });
    const gift = wanted((await giveGift(shop, shop.consumer.email)).code);
    await reserve(gift);
    await confirm(gift.subject);
    expect(await isWelcome(code)).toBe(true);
    const other = await createShop(app);
    const theirs = await createVoucher(app, other.merchant);
    expect((await submit(other, theirs.code)).status).toBe(202);
    expect(await isWelcome(code)).toBe(true);
  });

  test('404 voucher_not_found: a wrong code, and a right code for another merchant’s customer, reveal nothing', async () => {
    const { code } = await make({ new_customers_only: true });
    const other = await createShop(app);
    const fields = { voucher_code: code, access_fee_id: other.fee.id };
    const reply = await call<ErrorBody>(app, 'POST', '/vouchers/discount', fields, other.consumer);
    expect(reply).toMatchObject({ status: 404, body: { error: 'voucher_not_found' } });
  });
});
