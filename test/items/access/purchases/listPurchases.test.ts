import { type z } from 'zod';
import { type PurchasePage } from '../../../../src/customers/purchases.schemas';
import { giveByHand, moveClock, takeAway } from '../../../support/access';
import { call } from '../../../support/client';
import { createConsumer, createItem, createShop, type Person, reaches, subscribe } from '../../../support/factories';
import { grant } from '../../../support/grant';
import { createPayShop, paid } from '../../../support/payments';
import { type ErrorBody } from '../../../support/raw';
import { startApp, type TestApp } from '../../../support/startApp';
import { createFollower } from '../../../support/world';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

type Page = z.output<typeof PurchasePage> & ErrorBody;

const list = (person: Pick<Person, 'token'>, query = '') =>
  call<Page>(app, 'GET', `/items/access/customers${query}`, undefined, person);

const hour = { from: '-1 hour', to: '1 hour' };

test('200: a bought subscription, as the clients read it', async () => {
  const shop = await createShop(app);
  const { merchant, consumer, item, fee } = shop;
  const { body } = await subscribe(app, shop);
  await reaches(app, consumer, body.subscription_id, 'active');
  const page = (await list(consumer, '?status=active&page=0&size=10')).body;
  expect(page).toEqual({
    total: 1,
    page: 1,
    offset: 0,
    limit: 10,
    next_cursor: null,
    collection: [
      {
        type: 'purchased',
        item_access_id: expect.any(Number) as number,
        item_id: item.id,
        item_title: item.title,
        merchant_id: merchant.id,
        customer_id: consumer.id,
        consumer_email: consumer.email,
        customer_email: consumer.email,
        purchased_access_fee_id: fee.id,
        purchased_access_fee_description: fee.description,
        purchased_access_fee_type: 'subscription',
        purchased_amount: 9.99,
        purchased_currency: 'EUR',
        is_trial: false,
        payment_method: 'Card',
        payment_tool: 'Visa 4242',
        parent_resource_id: body.subscription_id,
        revoked: 0,
        store_environment: '',
        starts_at: expect.any(Number) as number,
        expires_at: expect.any(Number) as number,
        created_at: expect.any(Number) as number,
      },
    ],
  });
});

test('200: what was paid for once, with its price, card and payment', async () => {
  const shop = await createPayShop(app, { currency: 'USD' });
  const token = await paid(app, shop);
  expect((await list(shop.consumer)).body.collection).toMatchObject([
    {
      type: 'purchased',
      item_id: shop.item.id,
      purchased_access_fee_id: shop.fee.id,
      purchased_access_fee_description: 'Two days',
      purchased_access_fee_type: 'ppv',
      purchased_amount: 4.5,
      purchased_currency: 'USD',
      is_trial: false,
      payment_method: 'Card',
      payment_tool: 'Visa 4242',
      parent_resource_id: token,
    },
  ]);
});

test('200: granted, revoked and expired, by status and type, newest first', async () => {
  const shop = await createShop(app);
  const { consumer } = shop;
  const expired = await grant(app, shop, { from: '-2 hours', to: '-1 hour' });
  const { body: revoked } = await giveByHand(app, shop);
  await takeAway(app, shop, revoked.id);
  const { body: granted } = await giveByHand(app, shop);
  const bought = await grant(app, shop, hour);
  const ids = async (query = '') => {
    const { body } = await list(consumer, query);
    return body.collection.map(({ item_access_id, type, revoked: mark }) => [item_access_id, type, mark]);
  };
  const rows = [
    [bought.id, 'purchased', 0],
    [granted.id, 'granted', 0],
    [revoked.id, 'revoked', 1],
    [expired.id, 'expired', 0],
  ];
  expect(await ids()).toEqual(rows);
  expect(await ids('?status=all')).toEqual(rows);
  expect(await ids('?status=active')).toEqual(rows.slice(0, 2));
  expect(await ids('?status=inactive')).toEqual(rows.slice(2));
  for (const [index, type] of ['purchased', 'granted', 'revoked', 'expired'].entries())
    expect(await ids(`?type=${type}`)).toEqual(rows.slice(index, index + 1));
  await moveClock(app, shop.merchant, '2 hours');
  expect((await list(consumer, '?status=active')).body.collection.map((row) => row.item_access_id)).toEqual([
    granted.id,
  ]);
});

test('200: the merchant sees all its customers’, or one’s, and nobody else’s', async () => {
  const [shop, other] = [await createShop(app), await createShop(app)];
  const neighbour = { ...shop, consumer: await createConsumer(app, shop.merchant) };
  for (const one of [shop, neighbour, other]) await grant(app, one, hour);
  const owners = async (person: Person, query = '') =>
    (await list(person, query)).body.collection.map(({ customer_id }) => customer_id);
  expect(await owners(shop.merchant)).toEqual([neighbour.consumer.id, shop.consumer.id]);
  expect(await owners(shop.merchant, `?customerID=${shop.consumer.id}`)).toEqual([shop.consumer.id]);
  expect(await owners(shop.merchant, `?customerID=${other.consumer.id}`)).toEqual([]);
  expect(await owners(shop.consumer, `?customerID=${neighbour.consumer.id}`)).toEqual([shop.consumer.id]);
});

test('200: pages, of which 0 is the first', async () => {
  const shop = await createShop(app);
  const ids: number[] = [];
  for (let count = 0; count < 5; count += 1) {
    const item = await createItem(app, shop.merchant);
    ids.unshift((await grant(app, { ...shop, item }, hour)).id);
  }
  const page = async (query: string) => {
    const { body } = await list(shop.consumer, query);
    return { ...body, collection: body.collection.map(({ item_access_id }) => item_access_id) };
  };
  expect(await page('?page=0&size=2')).toMatchObject({
    total: 5,
    page: 1,
    offset: 0,
    limit: 2,
    collection: ids.slice(0, 2),
  });
  expect(await page('?page=3&size=2')).toMatchObject({
    total: 5,
    page: 3,
    offset: 4,
    limit: 2,
    collection: ids.slice(4),
  });
  const { next_cursor } = await page('?size=2');
  expect(await page(`?size=2&cursor=${String(next_cursor)}`)).toMatchObject({ total: 5, collection: ids.slice(2, 4) });
  expect(await page('?page=4&limit=2')).toMatchObject({ total: 5, collection: [] });
});

test('422 invalid_input: page -1, size 501, an unknown status', async () => {
  const { consumer } = await createShop(app);
  for (const [query, field] of [
    ['?page=-1', 'page'],
    ['?size=501', 'size'],
    ['?status=dead', 'status'],
  ] as const) {
    const { status, body } = await list(consumer, query);
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, [field]]);
  }
});

test('403 forbidden: a follower without the scope payments:read', async () => {
  const shop = await createShop(app);
  const follower = await createFollower({ app, ...shop }, ['accounts:read', 'items:read']);
  expect((await list(follower)).status).toBe(403);
});
