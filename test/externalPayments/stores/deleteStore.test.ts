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

test('200: the credentials are gone, those of the other stores stay', async () => {
  const { merchant } = await createStoreShop(app, stores);
  expect((await call(app, 'DELETE', '/stores/amazon', undefined, merchant)).status).toBe(200);
  const { body } = await call<{ collection: { platform: string; is_configured: boolean }[] }>(
    app,
    'GET',
    '/stores',
    undefined,
    merchant,
  );
  const configured = body.collection.filter(({ is_configured }) => is_configured).map(({ platform }) => platform);
  expect(configured).toEqual(['apple', 'google-play', 'roku']);
});

test('404 store_not_configured: a second time', async () => {
  const { merchant } = await createStoreShop(app, stores);
  await call(app, 'DELETE', '/stores/roku', undefined, merchant);
  const reply = await call(app, 'DELETE', '/stores/roku', undefined, merchant);
  expect(reply).toMatchObject({ status: 404, body: { error: 'store_not_configured' } });
});

test('404 store_not_configured: another merchant’s are its own', async () => {
  const { merchant } = await createStoreShop(app, stores);

  const stranger = await createMerchant(app);
  expect((await call(app, 'DELETE', '/stores/roku', undefined, stranger)).status).toBe(404);
  expect((await call(app, 'POST', '/stores/roku/test', undefined, merchant)).status).toBe(200);
});
