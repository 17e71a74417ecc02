import { type StoreName } from '../../src/adapters/appStores/store';
import { call } from './client';
import { createShop, type Shop } from './factories';
import { startApp, type TestApp } from './startApp';
import { registerApps, startStores, storeFields, type StoreApps, type Stores } from './stores';

/** The tests of setting up any store. */
export interface StoreSetUp {
  answersNoSecret(): Promise<void>;
  liesSealed(): Promise<void>;
  isAudited(): Promise<void>;
  /** One field with a value that cannot be right. */
  refuses(wrong: Record<string, string>): Promise<void>;
}

/** Starts the service and the stores for a test file. `appField`: what names the app among the store's credentials. */
export function storeSetUp(platform: StoreName, appField: string): StoreSetUp {
  let stores: Stores;
  let app: TestApp;
  let shop: Shop;
  let apps: StoreApps;

  beforeAll(async () => {
    stores = await startStores();
    app = await startApp(stores.environment);
  });
  afterAll(async () => {
    await app.stop();
    await stores.simulator.stop();
  });
  beforeEach(async () => {
    shop = await createShop(app);
    apps = registerApps(stores);
  });

  const fields = (): Record<string, unknown> => storeFields[platform](apps[platform] as never);
  const set = (body: Record<string, unknown>) => call(app, 'PUT', `/stores/${platform}`, body, shop.merchant);

  return {
    async answersNoSecret() {
      const sent = fields();
      const reply = await set(sent);
      expect(reply).toMatchObject({ status: 200, body: { platform, is_configured: true, app: sent[appField] } });
      expect(Object.keys(reply.body).sort()).toEqual(['app', 'is_configured', 'platform', 'updated_at']);
    },

    async liesSealed() {
      await set(fields());
      apps = registerApps(stores);
      const sent = fields();
      await set(sent);
      const { rows } = await app.pool.query<{ app: string; sealed_credentials: Buffer }>(
        'SELECT app, sealed_credentials FROM store_credentials WHERE merchant_id = $1',
        [shop.merchant.id],
      );
      expect(rows).toMatchObject([{ app: sent[appField] }]);
      expect(rows[0]?.sealed_credentials.toString('latin1')).not.toContain(String(sent[appField]));
    },

    async isAudited() {
      await set(fields());
      const path = '/audit?action=store_credentials.set';
      const log = await call<{ collection: object[] }>(app, 'GET', path, undefined, shop.merchant);
      expect(log.body.collection).toMatchObject([{ object_type: 'store', object_id: platform }]);
    },

    async refuses(wrong) {
      const errors = Object.fromEntries(Object.keys(wrong).map((field) => [field, expect.any(String) as unknown]));
      expect(await set({ ...fields(), ...wrong })).toMatchObject({
        status: 422,
        body: { error: 'invalid_input', errors },
      });
    },
  };
}
