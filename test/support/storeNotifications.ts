import { type StoreName } from '../../src/adapters/appStores/store';
import { type Sending } from '../../scripts/storeSimulator/face';
import { type TestApp } from './startApp';
import {
  buy,
  capture,
  createQuietShop,
  keptNotifications,
  mayWatch,
  present,
  push,
  settled,
  startStoreApp,
  type Stores,
  type StoreShop,
} from './stores';
import { until } from './until';

/** What differs from store to store. */
interface Told {
  /** The answer to a notification that is stored, as a matcher. */
  answer: unknown;
  /** Notifications without a valid signature of the store. */
  forgeries: (sending: Sending, shop: StoreShop) => Sending[];
}

/** Notifications that are refused for every store, even with a valid signature. */
export const garbage: [what: string, body: string][] = [
  ['100 kB of garbage', 'x'.repeat(100_000)],
  ['JSON of something else', '{"a":1}'],
  ['nothing', ''],
];

/**
 * The rules for notifications of every store. The test file of a store has the titles and uses these bodies. Starts the
 * stores and the app of that file.
 */
export function storeNotifications(store: StoreName, { answer, forgeries }: Told) {
  let stores: Stores;
  let app: TestApp;
  let stop: () => Promise<void>;
  let shop: StoreShop;

  beforeAll(async () => {
    ({ app, stores, stop } = await startStoreApp());
  });
  afterAll(() => stop());
  beforeEach(async () => {
    shop = await createQuietShop(app, stores);
  });

  /** The first that the store would send of what happens in `during`: by default of a new purchase. */
  async function notification(during: () => unknown = () => buy(shop, store)): Promise<Sending> {
    const [sending] = await capture(stores, during);
    if (!sending) throw new Error('the store tells nothing');
    return sending;
  }

  async function expectRefused(sending: Sending): Promise<void> {
    expect((await push(app, sending)).status).toBe(400);
    expect(await keptNotifications(shop)).toEqual([]);
  }

  return {
    async isAskedForAgainWhileKeysAreAway() {
      const sending = await notification();
      stores.simulator.setHealth('down');
      expect((await push(app, sending)).status).toBe(503);
      expect(await keptNotifications(shop)).toEqual([]);
    },

    async isKeptSealed() {
      const sending = await notification();
      expect(await push(app, sending)).toMatchObject({ status: 200, text: answer });
      const kept = await keptNotifications(shop);
      expect(kept).toHaveLength(1);
      expect(kept[0]?.sealed_body.toString('latin1')).not.toContain(sending.body.slice(0, 40));
    },

    /** A notification about no purchase is accepted. */
    async isTaken(type: string, sendingOf: (shop: StoreShop) => Sending) {
      expect((await push(app, sendingOf(shop))).status).toBe(200);
      expect(await keptNotifications(shop)).toMatchObject([{ type, original_id: null }]);
    },

    async isKeptOnce() {
      const sending = await notification();
      const answers = await Promise.all(Array.from({ length: 5 }, () => push(app, sending)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      expect(await keptNotifications(shop)).toHaveLength(1);
    },

    async hasThePurchaseLookedAt() {
      const purchase = buy(shop, store);
      await settled(shop, await present(shop, purchase));
      await push(app, await notification(() => stores.simulator.market.setAutoRenew(purchase.id, false)));
      const text = 'SELECT 1 FROM store_purchases WHERE account_id = $1 AND NOT auto_renew';
      await until(async () => (await app.pool.query(text, [shop.consumer.id])).rows.length === 1);
    },

    async isKeptForALaterClaim() {
      let purchase = buy(shop, store);
      const sendings = await capture(stores, () => {
        purchase = buy(shop, store);
        stores.simulator.market.setAutoRenew(purchase.id, false);
      });
      for (const sending of sendings) expect((await push(app, sending)).status).toBe(200);
      expect(await keptNotifications(shop)).toHaveLength(2);
      await settled(shop, await present(shop, purchase));
      expect(await mayWatch(shop, shop.consumer)).toBe(true);
      const text = 'SELECT auto_renew FROM store_purchases WHERE account_id = $1';
      expect((await app.pool.query(text, [shop.consumer.id])).rows).toEqual([{ auto_renew: false }]);
    },

    async isRefusedWith(body: string) {
      await expectRefused({ ...(await notification()), body });
    },

    async isRefusedWhenForged() {
      const forged = forgeries(await notification(), shop);
      expect(forged.length).toBeGreaterThan(0);
      for (const sending of forged) await expectRefused(sending);
    },

    async isRefusedOfAStrangersApp() {
      const sending = await notification();
      await app.pool.query('DELETE FROM store_credentials WHERE merchant_id = $1', [shop.merchant.id]);
      expect((await push(app, sending)).status).toBe(400);
    },
  };
}
