import { call } from '../../support/client';
import { createShop, type Shop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { registerApps, startStores, storeFields, type StoreApps, type Stores } from '../../support/stores';

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

const fields = (): Record<string, unknown> => storeFields['google-play'](apps['google-play']);
const set = (body: Record<string, unknown>) => call(app, 'PUT', '/stores/google-play', body, shop.merchant);

test('200: the store is set up, and no secret is answered', async () => {
  const sent = fields();
  const reply = await set(sent);
  expect(reply).toMatchObject({
    status: 200,
    body: { platform: 'google-play', is_configured: true, app: sent['package_name'] },
  });
  expect(Object.keys(reply.body).sort()).toEqual(['app', 'is_configured', 'platform', 'updated_at']);
});

test('200: it lies sealed in the database, and what was there before is gone', async () => {
  await set(fields());
  apps = registerApps(stores);
  const sent = fields();
  await set(sent);
  const { rows } = await app.pool.query<{ app: string; sealed_credentials: Buffer }>(
    'SELECT app, sealed_credentials FROM store_credentials WHERE merchant_id = $1',
    [shop.merchant.id],
  );
  expect(rows).toMatchObject([{ app: sent['package_name'] }]);
  expect(rows[0]?.sealed_credentials.toString('latin1')).not.toContain(String(sent['package_name']));
});

test('200: the audit log tells who did it', async () => {
  await set(fields());
  const log = await call<{ collection: object[] }>(
    app,
    'GET',
    '/audit?action=store_credentials.set',
    undefined,
    shop.merchant,
  );
  expect(log.body.collection).toMatchObject([{ object_type: 'store', object_id: 'google-play' }]);
});

test('422 invalid_input: a field that cannot be right', async () => {
  const reply = await set({ ...fields(), private_key: 'not a key' });
  expect(reply).toMatchObject({
    status: 422,
    body: { error: 'invalid_input', errors: { private_key: expect.any(String) as unknown } },
  });
});
