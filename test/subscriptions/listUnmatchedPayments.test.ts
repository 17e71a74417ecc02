import { randomUUID } from 'node:crypto';
import { createMerchant, createShop, type Person, type Shop } from '../support/factories';
import { addUnmatched, listUnmatched } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let shop: Shop;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());
beforeEach(async () => (shop = await createShop(app)));

/** Its purchase. */
const find = async (amountMinor: number, fields: { currency?: string; accountId?: number } = {}) =>
  (await addUnmatched(app, shop.merchant, { amountMinor, ...fields })).purchase;

const list = (query = '', caller: Person = shop.merchant) => listUnmatched(app, caller, query);

test('200: the amount in the major unit, the customer and the purchase', async () => {
  const purchase = await find(999, { accountId: shop.consumer.id });
  expect((await list()).collection).toMatchObject([
    {
      ...{ reference: `pi_${purchase}`, purchase, customer_id: shop.consumer.id, amount: 9.99, currency: 'EUR' },
      ...{ status: 'open', failure: '', paid_at: 1000, refunded_at: 0 },
    },
  ]);
});

test('200: yen have no decimals, and an unknown customer is 0', async () => {
  await find(1000, { currency: 'JPY' });
  expect((await list()).collection).toMatchObject([{ customer_id: 0, amount: 1000, currency: 'JPY' }]);
});

test('200: newest first, by cursor, even while more are found; nothing for another merchant', async () => {
  expect(await list()).toMatchObject({ total: 0, next_cursor: null, collection: [] });
  const purchases = [await find(1), await find(2), await find(3)];
  const begun = await list('?limit=2');
  await find(4);
  const rest = await list(`?limit=2&cursor=${begun.next_cursor}`);
  const seen = [...begun.collection, ...rest.collection].map(({ purchase }) => purchase);
  expect(seen).toEqual(purchases.reverse());
  expect(await list('', await createMerchant(app))).toMatchObject({ total: 0, collection: [] });
});

test('200: an erased customer is not named', async () => {
  const { insertFound } = await import('../../src/subscriptions/provider/unmatched.model.js');
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  const { id } = shop.consumer;
  for (const column of ['erasing_at', 'erased_at'])
    await app.pool.query(`UPDATE accounts SET ${column} = now() WHERE id = $1`, [id]);
  const purchase = `S-${randomUUID()}`;
  const found = { reference: `pi_${purchase}`, idempotencyKey: `${purchase}:1:1`, amountMinor: 999, currency: 'EUR' };
  const payment = { ...found, paidAt: new Date(), merchantId: shop.merchant.id, accountId: id };
  expect(await transaction((inTransaction) => insertFound(inTransaction, { ...payment, provider: 'sandbox' }))).toBe(
    true,
  );
  expect((await list()).collection).toMatchObject([{ purchase, customer_id: 0, amount: 9.99 }]);
});
