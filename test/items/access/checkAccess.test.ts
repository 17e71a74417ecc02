import { call } from '../../support/client';
import { createConsumer, createItem, createMerchant, createShop, type Person } from '../../support/factories';
import { grant } from '../../support/grant';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const secret = '<p>The final.</p>';

const check = (itemId: number | string, person: Pick<Person, 'token'>) =>
  call<Record<string, unknown>>(app, 'GET', `/items/${itemId}/access`, undefined, person);

async function expectNoContent(reply: ReturnType<typeof check>, expected: object): Promise<void> {
  const { status, headers, body } = await reply;
  expect({ status, body }).toEqual(expected);
  expect(JSON.stringify([body, [...headers]])).not.toContain(secret);
}

const noAccess = {
  status: 402,
  body: {
    code: 402,
    message: 'Asset access not found',
    error: 'access_not_found',
    explain: 'Asset access not found',
  },
};
const noItem = {
  status: 404,
  body: { code: 404, message: 'Item not found', error: 'item_not_found', explain: 'Item not found' },
};

test('200: the entitlement and the item with its content', async () => {
  const shop = await createShop(app);
  const { consumer, item } = shop;
  const access = await grant(app, shop, { from: '-1 hour', to: '1 hour' });
  const { status, body } = await check(item.id, consumer);
  expect(status).toBe(200);
  expect(body).toEqual({
    id: access.id,
    account_id: consumer.id,
    customer_id: consumer.id,
    customer_uuid: consumer.uuid,
    ip_address: '127.0.0.1',
    country_code: '',
    created_at: expect.any(Number) as number,
    starts_at: access.startsAt,
    expires_at: access.expiresAt,
    item,
  });
  expect(body['item']).toHaveProperty('content', secret);
});

test('200: with an ETag that changes with the entitlement and with the item, and otherwise stays', async () => {
  const shop = await createShop(app);
  await grant(app, shop, { from: '-2 hours', to: '1 hour' });
  const tag = async () => (await check(shop.item.id, shop.consumer)).headers.get('etag');
  const first = await tag();
  expect(first).toMatch(/^W\/"[\w-]+"$/);
  expect(await tag()).toBe(first);
  await grant(app, shop, { from: '-3 hours', to: '5 hours' });
  const second = await tag();
  expect(second).not.toBe(first);
  const title = { title: 'Cup final, the replay' };
  await call(app, 'PATCH', `/v2/items/${shop.item.id}`, title, shop.merchant);
  await until(async () => (await tag()) !== second);
});

test('200: of entitlements that overlap the one that ends last answers', async () => {
  const shop = await createShop(app);
  await grant(app, shop, { from: '-2 hours', to: '1 hour' });
  const longest = await grant(app, shop, { from: '-3 hours', to: '5 hours' });
  await grant(app, shop, { from: '-1 hour', to: '2 hours' });
  await grant(app, shop, { from: '-1 hour', to: '9 hours', revoked: true });
  await grant(app, shop, { from: '1 hour', to: '9 hours' });
  expect((await check(shop.item.id, shop.consumer)).body).toMatchObject({ id: longest.id });
});

test('200: a merchant who bought from himself, to try it', async () => {
  const shop = await createShop(app);
  await grant(app, { ...shop, consumer: shop.merchant }, { from: '-1 hour', to: '1 hour' });
  expect((await check(shop.item.id, shop.merchant)).body).toMatchObject({ account_id: shop.merchant.id });
});

test('401 invalid_auth_token: no token, before anything is told of the item', async () => {
  const { item } = await createShop(app);
  const wrong = {
    code: 401,
    message: 'Invalid auth token',
    error: 'invalid_auth_token',
    explain: 'Invalid auth token',
  };
  for (const id of [item.id, 2_147_483_647])
    await expectNoContent(check(id, { token: 'x' }), { status: 401, body: wrong });
});

test('402 access_not_found: who never bought', async () => {
  const { consumer, item, merchant } = await createShop(app);
  await expectNoContent(check(item.id, consumer), noAccess);
  await expectNoContent(check(item.id, merchant), noAccess);
});

test.each([
  ['expired', { from: '-2 hours', to: '-1 second' }],
  ['revoked', { from: '-1 hour', to: '1 hour', revoked: true }],
  ['not yet begun', { from: '1 hour', to: '2 hours' }],
])('402 access_not_found: an entitlement %s', async (_what, period) => {
  const shop = await createShop(app);
  await grant(app, shop, period);
  await expectNoContent(check(shop.item.id, shop.consumer), noAccess);
});

test('402 access_not_found: an entitlement of another account, or to another item', async () => {
  const shop = await createShop(app);
  const neighbour = await createConsumer(app, shop.merchant);
  const otherItem = await createItem(app, shop.merchant);
  await grant(app, shop, { from: '-1 hour', to: '1 hour' });
  await expectNoContent(check(shop.item.id, neighbour), noAccess);
  await expectNoContent(check(otherItem.id, shop.consumer), noAccess);
});

test('402 access_not_found: a minute after it answered 200, once the time is over', async () => {
  const shop = await createShop(app);
  const access = await grant(app, shop, { from: '-1 hour', to: '1 hour' });
  expect((await check(shop.item.id, shop.consumer)).status).toBe(200);
  await app.pool.query(`UPDATE accesses SET expires_at = now() WHERE id = $1`, [access.id]);
  await expectNoContent(check(shop.item.id, shop.consumer), noAccess);
});

test('404 item_not_found: an item of another merchant, as one that does not exist', async () => {
  const shop = await createShop(app);
  const other = await createMerchant(app);
  const strangers = [await createConsumer(app, other), other];
  await grant(app, shop, { from: '-1 hour', to: '1 hour' });
  expect((await check(shop.item.id, shop.consumer)).status).toBe(200);
  for (const stranger of strangers) {
    await expectNoContent(check(shop.item.id, stranger), noItem);
    await expectNoContent(check(2_147_483_647, stranger), noItem);
  }
});

test('each of two hundred checks at once has its own answer', async () => {
  const shop = await createShop(app);
  const neighbour = await createConsumer(app, shop.merchant);
  const items = await Promise.all([1, 2, 3, 4].map(() => createItem(app, shop.merchant)));
  for (const item of items.slice(0, 2)) await grant(app, { ...shop, item }, { from: '-1 hour', to: '1 hour' });
  const asked = Array.from({ length: 200 }, (_, index) => ({
    person: index % 5 === 0 ? neighbour : shop.consumer,
    item: items[index % 4] as (typeof items)[number],
    expected: index % 5 !== 0 && index % 4 < 2 ? 200 : 402,
  }));
  const answers = await Promise.all(asked.map(({ person, item }) => check(item.id, person)));
  expect(answers.map(({ status }) => status)).toEqual(asked.map(({ expected }) => expected));
  for (const [index, { status, body }] of answers.entries())
    if (status === 200)
      expect(body).toMatchObject({ account_id: asked[index]?.person.id, item: { id: asked[index]?.item.id } });
});
