import { call } from '../support/client';
import { createConsumer, purchase as byCard, type Person, type SubscriptionRow } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { buy, createStoreShop, present, settled, startStores, type Stores, type StoreShop } from '../support/stores';
import { until } from '../support/until';

/** Sales of app stores, in every list of card purchases. */

let stores: Stores;
let app: TestApp;
let shop: StoreShop;
let token: string;

beforeAll(async () => {
  stores = await startStores();
  app = await startApp(stores.environment);
  stores.simulator.setTarget(app.address);
  await app.startWorker();
  shop = await createStoreShop(app, stores);
  const bought = buy(shop, 'apple');
  await settled(shop, await present(shop, bought));
  ({ token } = (await rowsOf('store_purchases'))[0] as { token: string });
});
afterAll(async () => {
  await app.stop();
  await stores.simulator.stop();
});

const rowsOf = async (table: string, { id }: Person = shop.consumer) =>
  (await app.pool.query(`SELECT * FROM ${table} WHERE account_id = $1`, [id])).rows as Record<string, unknown>[];

interface Page<Row> {
  total: number;
  collection: Row[];
}

const read = async <Row>(path: string, person: Person = shop.consumer) =>
  (await call<Page<Row>>(app, 'GET', path, undefined, person)).body;

test('200: a subscription of a store is listed beside those by card, newest first, and read by its id', async () => {
  const other = await createStoreShop(app, stores);
  const mixed = {
    ...other,
    merchant: shop.merchant,
    consumer: await createConsumer(app, shop.merchant),
    apps: shop.apps,
  };
  const first = buy({ ...mixed, item: shop.item, fee: shop.fee }, 'google-play', {
    trial: { quantity: 1, period: 'week' },
  });
  await settled(shop, await present({ ...mixed, item: shop.item, fee: shop.fee }, first));
  const item = await call<{ id: number }>(
    app,
    'POST',
    '/v2/items',
    { item_type: 'html_asset', title: 'Another' },
    shop.merchant,
  );
  const fee = await call<{ id: number }>(
    app,
    'POST',
    `/v2/items/${item.body.id}/access-fees`,
    { access_type: 'subscription', quantity: 1, period: 'month', amount: '5', currency: 'EUR', description: 'Card' },
    shop.merchant,
  );
  await call(app, 'POST', '/subscriptions', byCard({ ...shop, fee: fee.body }), mixed.consumer);
  const { total, collection } = await read<SubscriptionRow>('/subscriptions', mixed.consumer);
  expect(total).toBe(2);
  expect(collection.map((row) => row.payment_method_name)).toEqual(['Card', 'Google Play']);
  expect(collection[1]).toMatchObject({ status: 'trialing', action_type: 'free-trial', charged_amount: 0 });
  expect((await read<SubscriptionRow>('/subscriptions?status=trialing', mixed.consumer)).total).toBe(1);
  // The run still acknowledges the purchase to its store, which changes the time of the last change.
  const inStore = { ...collection[1], updated_at: expect.any(Number) as number };
  expect((await read<SubscriptionRow>('/subscriptions?limit=1&page=2', mixed.consumer)).collection).toEqual([inStore]);
  const one = await call(app, 'GET', `/subscriptions/${collection[1]?.subscription_id}`, undefined, mixed.consumer);
  expect(one.body).toEqual(inStore);
});

test('200: it tells what its store told', async () => {
  const { collection } = await read<SubscriptionRow>('/subscriptions');
  const [row] = await rowsOf('store_purchases');
  const seconds = (at: unknown) => Math.floor((at as Date).getTime() / 1000);
  expect(collection).toEqual([
    expect.objectContaining({
      subscription_id: token,
      status: 'active',
      action_type: 'recurrent',
      item_id: shop.item.id,
      access_fee_id: shop.fee.id,
      charged_amount: 9.99,
      subscription_price: 9.99,
      currency: 'EUR',
      payment_method_name: 'App Store',
      payment_tool_info: '',
      current_period_end: seconds(row?.['expires_at']),
      next_billing_date: seconds(row?.['expires_at']),
      cancel_at_period_end: false,
    }),
  ]);
  expect(
    (await read<SubscriptionRow>(`/subscriptions?account_id=${shop.consumer.id}`, shop.merchant)).collection,
  ).toEqual(collection);
});

test('404 subscription_not_found: that of another account', async () => {
  const neighbour = await createConsumer(app, shop.merchant);
  expect(await call(app, 'GET', `/subscriptions/${token}`, undefined, neighbour)).toMatchObject({ status: 404 });
  expect(await call(app, 'DELETE', `/subscriptions/${token}`, {}, neighbour)).toMatchObject({ status: 404 });
});

test('409 subscription_state: it is cancelled, paused and switched where it was bought', async () => {
  const explain = 'It was bought in the App Store, and is managed there.';
  const told = { status: 409, body: { explain } };
  const { collection } = await read<SubscriptionRow>('/subscriptions');
  const { pathname } = new URL(collection[0]?.unsubscribe_url ?? '');
  expect(await call(app, 'GET', pathname, undefined, shop.consumer)).toMatchObject(told);
  expect(await call(app, 'DELETE', `/subscriptions/${token}`, {}, shop.consumer)).toMatchObject(told);
  expect(await call(app, 'POST', `/subscriptions/${token}/pause`, {}, shop.consumer)).toMatchObject(told);
});

test('409 already_has_access: the same item by card while the store’s subscription runs', async () => {
  expect(await call(app, 'POST', '/subscriptions', byCard(shop), shop.consumer)).toMatchObject({ status: 409 });
});

interface Movement {
  trx_token: string;
  transaction_token: string;
  action_type: string;
  payment_method_name: string;
  gateway_name: string;
  charged_amount: number;
  item_access_id: number;
}

test('200: the histories tell what a store took and gave back; `exclude=store-payment` leaves that out', async () => {
  const buyer = await createConsumer(app, shop.merchant);
  const mine = { ...shop, consumer: buyer };
  const bought = buy(mine, 'amazon');
  await settled(shop, await present(mine, bought));
  stores.simulator.market.refund(bought.id);
  await until(async () => (await rowsOf('store_payments', buyer))[0]?.['refunded_at'] !== null);
  const { total, collection } = await read<Movement>('/v2/accounting/payment-history', buyer);
  expect(total).toBe(2);
  const [access] = await rowsOf('accesses', buyer);
  expect(collection.map((row) => row.action_type).sort()).toEqual(['external', 'refund']);
  for (const row of collection)
    expect(row).toMatchObject({
      payment_method_name: 'Amazon Appstore',
      gateway_name: 'amazon',
      charged_amount: 9.99,
      item_access_id: access?.['id'],
    });
  const all = await read<Movement>('/payments/transactions?type=external&limit=100', shop.merchant);
  expect(all.collection.map((row) => row.transaction_token)).toContain(token);
  expect((await read('/payments/transactions?type=external&exclude=store-payment', shop.merchant)).total).toBe(0);
  const report = await call<{ total_gross_amounts: Record<string, number>; current_balance: Record<string, number> }>(
    app,
    'GET',
    '/accounting/report/transactions?type=refund',
    undefined,
    shop.merchant,
  );
  expect(report.body.current_balance['EUR']).toBe(-9.99);
});

test('200: the list of accesses names the store, and its environment', async () => {
  const buyer = await createConsumer(app, shop.merchant);
  const mine = { ...shop, consumer: buyer };
  await settled(shop, await present(mine, buy(mine, 'google-play', { environment: 'sandbox' })));
  const { collection } = await read<Record<string, unknown>>('/items/access/customers', buyer);
  expect(collection).toEqual([
    expect.objectContaining({
      payment_method: 'Google Play',
      store_environment: 'sandbox',
      purchased_amount: 9.99,
      purchased_currency: 'EUR',
      type: 'purchased',
    }),
  ]);
});

test('200: the stores that a merchant sells in are ways to pay', async () => {
  const { body } = await call<object[]>(app, 'GET', '/payments/methods', undefined, shop.consumer);
  expect(body).toEqual([
    { id: 1, method_name: 'Card', is_external: false },
    { id: 3, method_name: 'App Store', is_external: true },
    { id: 4, method_name: 'Google Play', is_external: true },
    { id: 5, method_name: 'Amazon Appstore', is_external: true },
    { id: 6, method_name: 'Roku Channel Store', is_external: true },
  ]);
});
