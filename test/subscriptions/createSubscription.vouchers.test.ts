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
  type SubscriptionRow,
} from '../support/factories';
import { lengthenBlocks } from '../support/guesses';
import { type ErrorBody } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';
import { createVoucher, giveGift, type Voucher } from '../support/vouchers';
import { cloneConsumer } from '../support/world';
import { queryBooks } from '../support/providerBooks';

/** A voucher before any workflow runs. No worker runs here. */

let app: TestApp;
let shop: Shop;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());
beforeEach(async () => (shop = await createShop(app)));

const submit = <Body = Submitted>(
  voucher_code: string,
  person: Pick<Person, 'token'> = shop.consumer,
  fields: Record<string, unknown> = {},
) => call<Body>(app, 'POST', '/subscriptions', { ...purchase(shop), voucher_code, ...fields }, person);

const make = (fields?: Record<string, unknown>) => createVoucher(app, shop.merchant, fields);

const usesOf = async ({ id }: Voucher) =>
  (await call<Voucher>(app, 'GET', `/vouchers/${id}`, undefined, shop.merchant)).body.usage_counter;

/** The first step of the workflow. */
async function chargeFirst(token: string) {
  const { chargeCycle } = await import('../../src/subscriptions/charges/charges.js');
  const text = 'SELECT id FROM subscriptions WHERE token = $1';
  const { rows } = await app.pool.query<{ id: number }>(text, [token]);
  return chargeCycle({ subscriptionId: rows[0]?.id ?? 0, cycle: 1, attempt: 1 });
}

async function chargedFor(token: string): Promise<number[]> {
  const text = `SELECT amount_minor FROM sandbox_charges WHERE status = 'paid' AND idempotency_key LIKE $1`;
  const { rows } = await queryBooks<{ amount_minor: number }>(app.pool, text, [`${token}:%`]);
  return rows.map(({ amount_minor }) => amount_minor);
}

const notFound = { status: 404, body: { message: 'Voucher not found', error: 'voucher_not_found' } };

test('202: a use is reserved, and the row shows the voucher as it was', async () => {
  const voucher = await make({ code: 'Spring-1' });
  const { status, body } = await submit('spring-1');
  expect(status).toBe(202);
  expect(await usesOf(voucher)).toBe(1);
  await call(app, 'PATCH', `/v2/vouchers/${voucher.id}`, { discount: 90, code: 'OTHER' }, shop.merchant);
  const row = await call<SubscriptionRow>(
    app,
    'GET',
    `/subscriptions/${body.subscription_id}`,
    undefined,
    shop.consumer,
  );
  expect(row.body).toMatchObject({
    voucher_code: 'Spring-1',
    charged_amount: 7.49,
    subscription_price: 9.99,
    formatted_amount: '€9.99',
  });
});

test('202: what is charged first has the setup fee in it, which no voucher discounts', async () => {
  shop.fee = await createFee(app, shop.merchant, shop.item.id, { amount: '10', setup_fee_amount: '5' });
  const { body } = await submit((await make()).code);
  expect(await chargeFirst(body.subscription_id)).toEqual({ outcome: 'paid' });
  expect(await chargedFor(body.subscription_id)).toEqual([1250]);
});

test('202: a reservation that lapsed and that others took before the charge is never charged', async () => {
  const voucher = await make({ usage_limit: 1 });
  const { body } = await submit(voucher.code);
  await app.pool.query('UPDATE voucher_uses SET lapses_at = now() WHERE voucher_id = $1', [voucher.id]);
  const neighbour = await createConsumer(app, shop.merchant);
  const next = await submit(voucher.code, neighbour);
  expect(next.status).toBe(202);
  expect(await chargeFirst(body.subscription_id)).toEqual({
    outcome: 'declined',
    decline: 'hard',
    reason: 'voucher_expired',
    message: 'Voucher not found',
  });
  expect(await chargeFirst(next.body.subscription_id)).toEqual({ outcome: 'paid' });
  expect(await chargedFor(body.subscription_id)).toEqual([]);
  expect(await chargedFor(next.body.subscription_id)).toEqual([749]);
});

test('202: the receiver of a gift subscribes with it, and the row keeps four letters of its code', async () => {
  const receiver = await createConsumer(app, shop.merchant);
  const { code } = await giveGift(shop, receiver.email);
  const { status, body } = await submit(code, receiver);
  expect(status).toBe(202);
  const row = await call(app, 'GET', `/subscriptions/${body.subscription_id}`, undefined, receiver);
  expect(row.body).toMatchObject({ voucher_code: `****${code.slice(-4)}`, charged_amount: 0 });
});

test('202: the same Idempotency-Key takes one use', async () => {
  const voucher = await make();
  const headers = { 'Idempotency-Key': randomUUID() };
  const fields = { ...purchase(shop), voucher_code: voucher.code };
  const send = () => call(app, 'POST', '/subscriptions', fields, { ...shop.consumer, headers });
  expect([(await send()).status, (await send()).status]).toEqual([202, 202]);
  expect(await usesOf(voucher)).toBe(1);
});

test('202 or 404 voucher_not_found: of 20 consumers at once as many as the limit has room for', async () => {
  const voucher = await make({ usage_limit: 3 });
  const people = await Promise.all(Array.from({ length: 20 }, () => cloneConsumer({ app, ...shop })));
  const replies = await Promise.all(people.map((person) => submit<ErrorBody>(voucher.code, person)));
  const accepted = replies.filter(({ status }) => status === 202);
  expect(accepted).toHaveLength(3);
  for (const reply of replies.filter(({ status }) => status !== 202)) expect(reply).toMatchObject(notFound);
  expect(await usesOf(voucher)).toBe(3);
  const { rows } = await app.pool.query('SELECT FROM subscriptions WHERE voucher_id = $1', [voucher.id]);
  expect(rows).toHaveLength(3);
});

test('409 already_has_access: a second subscription takes no use, also when both come at once', async () => {
  const voucher = await make();
  const replies = await Promise.all([1, 2, 3].map(() => submit(voucher.code)));
  expect(replies.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
  expect(await usesOf(voucher)).toBe(1);
  expect((await submit(voucher.code)).status).toBe(409);
  expect(await usesOf(voucher)).toBe(1);
});

test('422 invalid_input: a card that is refused takes no use', async () => {
  const voucher = await make();
  const { status } = await submit(voucher.code, shop.consumer, { exp_year: '2001' });
  expect(status).toBe(422);
  expect(await usesOf(voucher)).toBe(0);
});

test('404 voucher_not_found: unknown, over, used up, for something else; nothing is stored', async () => {
  const item = await createItem(app, shop.merchant);
  const used = await make({ usage_limit: 1 });
  await app.pool.query('UPDATE vouchers SET usage_counter = 1 WHERE id = $1', [used.id]);
  const useless = [
    'NOBODY-KNOWS',
    used.code,
    (await make({ end_date: '2020-02-01' })).code,
    (await make({ rules: [{ rule_type: 'assets', value: item.id }] })).code,
    (await createVoucher(app, (await createShop(app)).merchant)).code,
  ];
  for (const code of useless) expect(await submit<ErrorBody>(code)).toMatchObject(notFound);
  for (const table of ['subscriptions', 'cards', 'voucher_uses']) {
    const { rows } = await app.pool.query(`SELECT FROM ${table} WHERE merchant_id = $1`, [shop.merchant.id]);
    expect(rows).toEqual([]);
  }
});

test('429 too_many_requests: codes are guessed as slowly here as by asking for the discount', async () => {
  const voucher = await make();
  for (let time = 0; time < 3; time += 1) expect(await submit('NOBODY-KNOWS')).toMatchObject({ status: 404 });
  const ask = { voucher_code: 'NOBODY-KNOWS', access_fee_id: shop.fee.id };
  for (let time = 0; time < 3; time += 1) {
    if (time === 2) await lengthenBlocks(app);
    expect((await call(app, 'POST', '/vouchers/discount', ask, shop.consumer)).status).toBe(404);
  }
  const blocked = await submit(voucher.code);
  expect(blocked.status).toBe(429);
  expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
});

describe('conditions of a voucher', () => {
  const refusal = (error: string, text: string) => ({ status: 422, body: { error, errors: { voucher_code: text } } });

  /** The fee of another item. */
  const anotherFee = async () => {
    const item = await createItem(app, shop.merchant);
    return { access_fee: (await createFee(app, shop.merchant, item.id)).id };
  };

  test('422 voucher_customer_limit: one use above the limit, even for another item; other customers can use it', async () => {
    const voucher = await make({ usage_limit_per_customer: 1 });
    expect((await submit(voucher.code)).status).toBe(202);
    expect(await submit<ErrorBody>(voucher.code, shop.consumer, await anotherFee())).toMatchObject(
      refusal(
        'voucher_customer_limit',
        'The voucher_code is limited to 1 use per customer, and you have used it as often.',
      ),
    );
    expect(await usesOf(voucher)).toBe(1);
    expect((await submit(voucher.code, await createConsumer(app, shop.merchant))).status).toBe(202);
  });

  test('422 voucher_new_customers_only: a customer whose purchase with another voucher is in progress', async () => {
    const voucher = await make({ new_customers_only: true });
    expect((await submit((await make({})).code)).status).toBe(202);
    expect(await submit<ErrorBody>(voucher.code, shop.consumer, await anotherFee())).toMatchObject(
      refusal('voucher_new_customers_only', 'The voucher_code is for new customers only.'),
    );
    expect(await usesOf(voucher)).toBe(0);
  });

  test('422 voucher_currency: an amount in another currency than the price; nothing is reserved', async () => {
    const voucher = await make({ discount: undefined, discount_amount: 2, discount_currency: 'USD' });
    expect(await submit<ErrorBody>(voucher.code)).toMatchObject(
      refusal('voucher_currency', 'The voucher_code takes off an amount in USD, and the price is in another currency.'),
    );
    expect(await usesOf(voucher)).toBe(0);
  });
});
