import { type AccessBody, check, takeAway } from '../../../support/access';
import { call, listen } from '../../../support/client';
import { createConsumer, createFee, createItem, createShop, type Person } from '../../../support/factories';
import { type ErrorBody } from '../../../support/raw';
import { startApp, type TestApp } from '../../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const take = (person: Pick<Person, 'token'>, itemId: number) =>
  call<AccessBody & ErrorBody>(app, 'POST', '/items/access/unlimited', { item_id: itemId }, person);

async function createFreeShop(fields: Record<string, unknown> = {}) {
  const shop = await createShop(app);
  const free = await createFee(app, shop.merchant, shop.item.id, { access_type: 'freemium', amount: 0, ...fields });
  return { ...shop, free };
}

test('200: an item with a freemium fee on sale, without an end and once', async () => {
  const { consumer, item, free } = await createFreeShop();
  expect((await check(app, item.id, consumer)).status).toBe(402);
  const listening = await listen(app, consumer);
  const replies = await Promise.all(Array.from({ length: 10 }, () => take(consumer, item.id)));
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
  expect(replies[0]?.body).toMatchObject({ expires_at: 2 ** 31 - 1, item: { content: item.content } });
  expect((await check(app, item.id, consumer)).status).toBe(200);
  const { rows } = await app.pool.query('SELECT access_fee_id, source FROM accesses WHERE account_id = $1', [
    consumer.id,
  ]);
  expect(rows).toEqual([{ access_fee_id: free.id, source: 'freemium' }]);
  await listening.hears('access.granted');
  expect(listening.heard).toHaveLength(1);
  await listening.close();
});

test('200: an item that is free after sign-in', async () => {
  const { merchant, consumer } = await createShop(app);
  const item = await createItem(app, merchant, { access_control_type_id: 3 });
  expect((await take(consumer, item.id)).status).toBe(200);
});

test('402 access_not_found: from whom the merchant took it away', async () => {
  const shop = await createFreeShop();
  const { body } = await take(shop.consumer, shop.item.id);
  await takeAway(app, shop, body.id);
  const again = await take(shop.consumer, shop.item.id);
  expect([again.status, again.body.error]).toEqual([402, 'access_not_found']);
  expect((await check(app, shop.item.id, shop.consumer)).status).toBe(402);
});

test('402 access_restricted: who may not see the item takes nothing', async () => {
  const { merchant, consumer, item } = await createFreeShop();
  await app.pool.query('INSERT INTO age_restrictions (merchant_id, item_id, min_age) VALUES ($1, $2, 18)', [
    merchant.id,
    item.id,
  ]);
  const { status, body } = await take(consumer, item.id);
  expect([status, body.error, Object.keys(body.errors ?? {})]).toEqual([402, 'access_restricted', ['age']]);
  expect((await app.pool.query('SELECT 1 FROM accesses WHERE account_id = $1', [consumer.id])).rows).toEqual([]);
});

test('402 access_restricted: who has entered no pin is given nothing', async () => {
  const { merchant, consumer, item } = await createFreeShop();
  const free = await createItem(app, merchant, { access_control_type_id: 3 });
  await app.pool.query(
    `INSERT INTO restriction_settings (merchant_id, age_verification_enabled, age_verification_type)
     VALUES ($1, true, 'pin_code')
     ON CONFLICT (merchant_id) DO UPDATE SET age_verification_enabled = true, age_verification_type = 'pin_code'`,
    [merchant.id],
  );
  const replies = [await take(consumer, item.id), await take(consumer, free.id), await check(app, free.id, consumer)];
  for (const { status, body } of replies)
    expect([status, Object.keys((body as unknown as ErrorBody).errors ?? {})]).toEqual([402, ['pin']]);
  expect((await app.pool.query('SELECT 1 FROM accesses WHERE account_id = $1', [consumer.id])).rows).toEqual([]);
});

test('404 access_fee_not_found: what is only sold, what is free no longer, what is offered no longer', async () => {
  const sold = await createShop(app);
  const over = await createFreeShop({ starts_at: '2020-01-01', expires_at: '2021-01-01' });
  const inactive = await createFreeShop();
  await app.pool.query('UPDATE items SET is_active = false WHERE id = $1', [inactive.item.id]);
  for (const { consumer, item } of [sold, over, inactive])
    expect((await take(consumer, item.id)).body.error).toBe('access_fee_not_found');
});

test('404 item_not_found: another merchant’s free item', async () => {
  const [shop, other] = [await createShop(app), await createFreeShop()];
  const { status, body } = await take(await createConsumer(app, shop.merchant), other.item.id);
  expect([status, body.error]).toEqual([404, 'item_not_found']);
});
