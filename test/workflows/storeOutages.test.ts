import { type StoreName } from '../../src/adapters/appStores/store';
import { bundleTimeLapse } from '../support/bundles';
import { type TestApp } from '../support/startApp';
import {
  buy,
  claimRow,
  createStoreShop,
  eventsOf,
  mayWatch,
  present,
  settled,
  startStoreApp,
  type Stores,
  type StoreShop,
} from '../support/stores';
import { type TemporalClient } from '../support/temporalClient';
import { until } from '../support/until';

/** Stores are unavailable for hours. An hour of the workflows takes a millisecond here. */

let stores: Stores;
let app: TestApp;
let stop: () => Promise<void>;
let temporal: TemporalClient;
let shop: StoreShop;

beforeAll(async () => {
  ({ app, stores, temporal, stop } = await startStoreApp({ WORKFLOW_BUNDLE: await bundleTimeLapse() }));
});
afterAll(() => stop());
beforeEach(async () => {
  shop = await createStoreShop(app, stores);
  stores.simulator.setHealth('well');
});

const storeNames: StoreName[] = ['apple', 'google-play', 'amazon', 'roku'];
/** The number of lookups in a little more than three hours. The waits double up to ten minutes. */
const triesOfHours = 28;

const triesOf = async (token: string) =>
  (await temporal.historyOf(`external-payment-${token}-1`)).split('EVENT_TYPE_TIMER_FIRED').length - 1;

test.each(storeNames)('external.payment.success: %s is down for hours, then answers', async (store) => {
  const purchase = buy(shop, store);
  stores.simulator.setHealth('down');
  const reply = await present(shop, purchase);
  const { external_payment_id: token } = reply.body;
  await until(async () => (await triesOf(token)) >= triesOfHours);
  expect(await eventsOf(shop, shop.consumer)).toEqual([]);
  expect((await claimRow(shop, token)).sealed_claim).not.toBeNull();
  stores.simulator.setHealth('well');
  expect(await settled(shop, reply)).toMatchObject({ state: 'succeeded', sealed_claim: null });
  expect(await mayWatch(shop, shop.consumer)).toBe(true);
  expect((await eventsOf(shop, shop.consumer)).map(({ type }) => type)).toEqual([
    'access.granted',
    'external.payment.success',
    'external.subscribe.success',
    'subscribe.success',
  ]);
});

test('external.payment.success: a store that answers with errors, then as it should', async () => {
  stores.simulator.setHealth('failing');
  const reply = await present(shop, buy(shop, 'google-play'));
  await until(async () => (await triesOf(reply.body.external_payment_id)) >= triesOfHours);
  stores.simulator.setHealth('well');
  expect((await settled(shop, reply)).state).toBe('succeeded');
});

test('external.payment.success: what Google has not been paid for yet opens nothing until it is', async () => {
  const purchase = buy(shop, 'google-play');
  purchase.phase = 'pending';
  const reply = await present(shop, purchase);
  await until(async () => (await triesOf(reply.body.external_payment_id)) >= 3);
  expect(await mayWatch(shop, shop.consumer)).toBe(false);
  purchase.phase = 'active';
  expect((await settled(shop, reply)).state).toBe('succeeded');
  expect(await mayWatch(shop, shop.consumer)).toBe(true);
});

test('a purchase that is looked at for long goes on as another run, and loses nothing', async () => {
  const purchase = buy(shop, 'google-play');
  await settled(shop, await present(shop, purchase));
  const text = 'SELECT token FROM store_purchases WHERE account_id = $1';
  const { rows } = await app.pool.query<{ token: string }>(text, [shop.consumer.id]);
  const handle = await temporal.begun(`store-purchase-${rows[0]?.token}`);
  const { runId } = await handle.describe();
  await until(async () => {
    const now = await handle.describe();
    return now.runId !== runId && now.status.name === 'RUNNING';
  });
  expect(await mayWatch(shop, shop.consumer)).toBe(true);
}, 300_000);
