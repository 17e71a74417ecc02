import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { createStoreShop, startStores, type Stores } from '../../support/stores';

let stores: Stores;
let app: TestApp;

beforeAll(async () => {
  stores = await startStores();
  app = await startApp(stores.environment);
});
afterAll(async () => {
  await app.stop();
  await stores.simulator.stop();
});

test('200: all four, none of them set up at first', async () => {
  const { status, body } = await call<{ collection: object[] }>(
    app,
    'GET',
    '/stores',
    undefined,
    await createMerchant(app),
  );
  expect(status).toBe(200);
  expect(body.collection).toEqual(
    ['apple', 'google-play', 'amazon', 'roku'].map((platform) => ({
      platform,
      is_configured: false,
      app: null,
      updated_at: null,
    })),
  );
});

test('200: which are set up, and for which app, without a secret', async () => {
  const { merchant, apps } = await createStoreShop(app, stores);
  const { body } = await call<{ collection: object[] }>(app, 'GET', '/stores', undefined, merchant);
  expect(body.collection).toMatchObject([
    { platform: 'apple', is_configured: true, app: apps.apple.bundleId },
    { platform: 'google-play', is_configured: true, app: apps['google-play'].packageName },
    { platform: 'amazon', is_configured: true, app: apps.amazon.packageName },
    { platform: 'roku', is_configured: true, app: apps.roku.channelId },
  ]);
  const text = JSON.stringify(body);
  for (const secret of [apps.amazon.sharedSecret, apps.roku.partnerApiKey, apps.apple.keyId, 'PRIVATE KEY'])
    expect(text).not.toContain(secret);
});
