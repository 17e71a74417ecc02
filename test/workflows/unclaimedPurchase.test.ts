import { type Order } from '../../scripts/storeSimulator/purchase';
import { bundleTimeLapse } from '../support/bundles';
import { createConsumer } from '../support/factories';
import { type TestApp } from '../support/startApp';
import {
  buy,
  capture,
  createStoreShop,
  eventsOf,
  mayWatch,
  present,
  push,
  registerApps,
  settled,
  startStoreApp,
  type Stores,
  type StoreShop,
} from '../support/stores';
import { until } from '../support/until';

/** Purchases that no app presents. The wait of ten minutes passes at once here. */

let stores: Stores;
let app: TestApp;
let stop: () => Promise<void>;
let shop: StoreShop;

beforeAll(async () => {
  ({ app, stores, stop } = await startStoreApp({ WORKFLOW_BUNDLE: await bundleTimeLapse() }));
});
afterAll(() => stop());
beforeEach(async () => {
  shop = await createStoreShop(app, stores);
  stores.simulator.setHealth('well');
});

/** A purchase that only the store reports. */
async function buyUnseen(store: 'apple' | 'google-play' | 'roku', order: Partial<Order>) {
  let bought: ReturnType<typeof buy> | undefined;
  const sendings = await capture(stores, () => (bought = buy(shop, store, order)));
  for (const sending of sendings) expect((await push(app, sending)).status).toBe(200);
  if (!bought) throw new Error('nothing was bought');
  return bought;
}

const typesOf = async (person = shop.consumer) => (await eventsOf(shop, person)).map(({ type }) => type);
const begun = ['access.granted', 'external.payment.success', 'external.subscribe.success', 'subscribe.success'];

test.each(['apple', 'google-play', 'roku'] as const)(
  'subscribe.success: an app that was closed too early, in %s, had told its store for whom it bought',
  async (store) => {
    const purchase = await buyUnseen(store, { accountUuid: shop.consumer.uuid });
    await until(() => mayWatch(shop, shop.consumer));
    expect(await typesOf()).toEqual(begun);
    if (store === 'google-play') await until(() => stores.simulator.market.get(purchase.id).acknowledgedAt !== null);
  },
);

test.each(['apple', 'google-play', 'roku'] as const)(
  'subscribe.success: of an app in %s that another merchant has named before',
  async (store) => {
    const apps = registerApps(stores);
    await createStoreShop(app, stores, {}, apps);
    shop = await createStoreShop(app, stores, {}, apps);
    await buyUnseen(store, { accountUuid: shop.consumer.uuid });
    await until(() => mayWatch(shop, shop.consumer));
    expect(await typesOf()).toEqual(begun);
  },
);

test('subscribe.success: what was bought in Google Play itself takes the place of a purchase whose account is known', async () => {
  const before = buy(shop, 'google-play');
  await settled(shop, await present(shop, before));
  const replacesId = stores.googlePlay.purchaseToken(before);
  const purchase = await buyUnseen('google-play', { replacesId });
  await until(() => stores.simulator.market.get(purchase.id).acknowledgedAt !== null);
  const text = 'SELECT replaced_at IS NOT NULL AS is_replaced FROM store_purchases WHERE account_id = $1 ORDER BY id';
  const { rows } = await app.pool.query(text, [shop.consumer.id]);
  expect(rows).toEqual([{ is_replaced: true }, { is_replaced: false }]);
  expect(await mayWatch(shop, shop.consumer)).toBe(true);
});

test('subscribe.success: while the store is away it waits', async () => {
  stores.simulator.setHealth('down');
  await buyUnseen('google-play', { accountUuid: shop.consumer.uuid });
  expect(await mayWatch(shop, shop.consumer)).toBe(false);
  stores.simulator.setHealth('well');
  await until(() => mayWatch(shop, shop.consumer));
});

test('where nobody is named it opens nothing, and is there for who presents it', async () => {
  const stranger = await createStoreShop(app, stores);
  const purchase = await buyUnseen('google-play', { accountUuid: stranger.consumer.uuid });
  const other = await createConsumer(app, shop.merchant);
  await until(async () => {
    const { rows } = await app.pool.query("SELECT 1 FROM outbox WHERE workflow = 'unclaimedPurchase'");
    return rows.length === 0;
  });
  expect(await typesOf()).toEqual([]);
  expect((await settled(shop, await present(shop, purchase, {}, other))).state).toBe('succeeded');
  expect(await typesOf(other)).toEqual(begun);
});
