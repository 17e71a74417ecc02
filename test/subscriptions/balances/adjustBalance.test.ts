import { randomUUID } from 'node:crypto';
import { balanceOf, giveCredit } from '../../support/balances';
import { call } from '../../support/client';
import { createConsumer, createMerchant, createShop, type Person, type Shop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let shop: Shop;

beforeAll(async () => (app = await startApp()));
beforeEach(async () => (shop = await createShop(app)));
afterAll(() => app.stop());

const pathOf = ({ id }: Pick<Person, 'id'>) => `/v2/accounts/customers/${id}/balances`;

const adjust = (
  fields: Record<string, unknown>,
  { of = shop.consumer, by = shop.merchant, key }: { of?: Pick<Person, 'id'>; by?: Person; key?: string } = {},
) =>
  call(app, 'POST', `${pathOf(of)}/movements`, fields, {
    token: by.token,
    ...(key !== undefined && { headers: { 'Idempotency-Key': key } }),
  });

interface Page {
  total: number;
  next_cursor: string | null;
  collection: { id: number; amount: number; currency: string; reason: string; note: string }[];
}

const list = (query = '', of: Pick<Person, 'id'> = shop.consumer, by: Person = shop.merchant) =>
  call<Page>(app, 'GET', `${pathOf(of)}/movements${query}`, undefined, by);

const balances = async (by: Person = shop.merchant) =>
  (await call<{ collection: object[] }>(app, 'GET', pathOf(shop.consumer), undefined, by)).body.collection;

test('201: a credit and a debt, each with its note and its author', async () => {
  const given = await adjust({ amount: '12.34', currency: 'eur', note: ' Goodwill ' });
  expect(given).toMatchObject({
    status: 201,
    body: {
      id: expect.any(Number) as number,
      amount: 12.34,
      currency: 'EUR',
      reason: 'adjustment',
      note: 'Goodwill',
      trx_token: '',
      transaction_token: '',
      actor_account_id: shop.merchant.id,
      created_at: expect.any(Number) as number,
    },
  });
  const taken = await adjust({ amount: '-20', currency: 'EUR', note: 'Damage' });
  await adjust({ amount: '100', currency: 'JPY', note: 'Gift' });
  expect(await balances()).toEqual([
    { currency: 'EUR', balance: -7.66 },
    { currency: 'JPY', balance: 100 },
  ]);
  const own = await call(app, 'GET', '/v2/accounting/balances', undefined, shop.consumer);
  expect(own.body).toEqual({ collection: await balances() });
  expect((await list('?currency=eur')).body).toMatchObject({ total: 2, collection: [taken.body, given.body] });
});

test('201: the audit log has one entry', async () => {
  await adjust({ amount: '5', currency: 'EUR', note: 'Goodwill' });
  const { body } = await call<{ collection: object[] }>(app, 'GET', '/audit', undefined, shop.merchant);
  expect(body.collection.filter((entry) => (entry as { action: string }).action === 'balance.adjust')).toEqual([
    expect.objectContaining({
      actor_account_id: shop.merchant.id,
      object_type: 'account',
      object_id: String(shop.consumer.id),
    }),
  ]);
});

test('201: one Idempotency-Key makes one movement, even for two requests at once', async () => {
  const key = randomUUID();
  const fields = { amount: '5', currency: 'EUR', note: 'Goodwill' };
  const answers = await Promise.all([adjust(fields, { key }), adjust(fields, { key })]);
  const again = await adjust(fields, { key });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(answers.filter(({ status }) => status === 201).map(({ body }) => body)).toContainEqual(again.body);
  expect(await balanceOf(app, shop.consumer.id)).toBe(500);
  expect(await adjust({ ...fields, amount: '6' }, { key })).toMatchObject({ status: 422 });
  expect((await list()).body.total).toBe(1);
});

test.each<[string, Record<string, unknown>, string]>([
  ['nothing', { amount: '0' }, 'amount'],
  ['nothing, below zero', { amount: '-0' }, 'amount'],
  ['more decimals than the currency has', { amount: '0.001' }, 'amount'],
  ['a decimal of yen', { amount: '1.5', currency: 'JPY' }, 'amount'],
  ['a step that no card is charged in', { amount: '1.005', currency: 'KWD' }, 'amount'],
  ['a credit above the most', { amount: '1000000' }, 'amount'],
  ['a debt above the most', { amount: '-1000000' }, 'amount'],
  ['a number that is none', { amount: 'five' }, 'amount'],
  ['a currency that is none', { currency: 'EUX' }, 'currency'],
  ['a currency that no card is charged in', { currency: 'CLF' }, 'currency'],
  ['a currency of two letters', { currency: 'EU' }, 'currency'],
  ['a note above the most', { note: 'x'.repeat(501) }, 'note'],
])('422 invalid_input: %s', async (_, fields, field) => {
  const reply = await adjust({ amount: '5', currency: 'EUR', note: 'Goodwill', ...fields });
  expect(reply).toMatchObject({
    status: 422,
    body: {
      error: 'invalid_input',
      errors: { [field]: expect.stringMatching(new RegExp(`^The ${field} `)) as string },
    },
  });
  expect((await list()).body.total).toBe(0);
});

test.each(['amount', 'currency', 'note'])('400 missing_parameter: without %s', async (field) => {
  const fields = { amount: '5', currency: 'EUR', note: 'Goodwill', [field]: ' '.trim() };
  expect(await adjust(fields)).toMatchObject({
    status: 400,
    body: { errors: { [field]: expect.any(String) as string } },
  });
});

test('201: the largest credit and the longest note; 422 invalid_input: one cent more in total', async () => {
  const most = { amount: '999999.99', currency: 'EUR', note: 'x'.repeat(500) };
  expect((await adjust(most)).status).toBe(201);
  expect(await adjust({ ...most, amount: '0.01' })).toMatchObject({
    status: 422,
    body: { errors: { amount: expect.any(String) as string } },
  });
  expect((await adjust({ ...most, amount: '-999999.99' })).status).toBe(201);
  expect(await balanceOf(app, shop.consumer.id)).toBe(0);
});

test('201: a balance beyond the limit can only move towards zero', async () => {
  await giveCredit(app, shop.consumer.id, -200_000_000);
  const fields = { amount: '1', currency: 'EUR', note: 'Paid at the counter' };
  expect((await adjust(fields)).status).toBe(201);
  expect((await adjust({ ...fields, amount: '-1' })).status).toBe(422);
  expect(await balanceOf(app, shop.consumer.id)).toBe(-199_999_900);
});

test('422 invalid_input: adjustments at the same time do not exceed the limit', async () => {
  const fields = { amount: '600000', currency: 'EUR', note: 'Goodwill' };
  const answers = await Promise.all([1, 2, 3].map(() => adjust(fields)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
  expect(await balanceOf(app, shop.consumer.id)).toBe(60_000_000);
});

test('404 account_not_found: another merchant’s customer, a merchant, nobody', async () => {
  const other = await createMerchant(app);
  const fields = { amount: '5', currency: 'EUR', note: 'Goodwill' };
  const refused = { status: 404, body: { error: 'account_not_found' } };
  expect([
    await adjust(fields, { by: other }),
    await list('', shop.consumer, other),
    await call(app, 'GET', pathOf(shop.consumer), undefined, other),
  ]).toMatchObject([refused, refused, refused]);
  for (const stranger of [shop.merchant, { id: 2_147_483_647 }])
    expect([await adjust(fields, { of: stranger }), await list('', stranger)]).toMatchObject([refused, refused]);
  expect(await balanceOf(app, shop.consumer.id)).toBe(0);
});

test('403 forbidden: the customer itself', async () => {
  const fields = { amount: '5', currency: 'EUR', note: 'Goodwill' };
  expect((await adjust(fields, { by: shop.consumer })).status).toBe(403);
  expect((await list('', shop.consumer, shop.consumer)).status).toBe(403);
});

test.each(['erasing_at', 'erased_at'])('404 account_not_found: an account with %s', async (column) => {
  const consumer = await createConsumer(app, shop.merchant);
  await app.pool.query(`UPDATE accounts SET erasing_at = now() WHERE id = $1`, [consumer.id]);
  await app.pool.query(`UPDATE accounts SET ${column} = now() WHERE id = $1`, [consumer.id]);
  const fields = { amount: '5', currency: 'EUR', note: 'Goodwill' };
  expect(await adjust(fields, { of: consumer })).toMatchObject({ status: 404, body: { error: 'account_not_found' } });
  expect(await balanceOf(app, consumer.id)).toBe(0);
});
