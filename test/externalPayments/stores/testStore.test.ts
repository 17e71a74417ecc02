import { type StoreName } from '../../../src/adapters/appStores/store';
import { call } from '../../support/client';
import { createShop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { createStoreShop, setStore, startStores, type Stores } from '../../support/stores';

const storeNames: StoreName[] = ['apple', 'google-play', 'amazon', 'roku'];

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
afterEach(() => stores.simulator.setHealth('well'));

test.each(storeNames)('200: %s takes the credentials', async (store) => {
  const { merchant } = await createStoreShop(app, stores);
  const reply = await call(app, 'POST', `/stores/${store}/test`, undefined, merchant);
  expect(reply).toMatchObject({ status: 200, body: { is_valid: true, problems: [] } });
});

test.each([
  ['apple', { keyId: 'X', issuerId: '6b1e0f0e-0b1c-4f3c-9a53-2f0a1d1c0f00' }, 'private_key'],
  ['google-play', { clientEmail: 'nobody@example.iam.gserviceaccount.com' }, 'client_email'],
  ['amazon', { sharedSecret: 'guessed' }, 'shared_secret'],
  ['roku', { partnerApiKey: 'guessed' }, 'partner_api_key'],
] as const)('200: %s refuses them, and the field is named', async (store, wrong, field) => {
  const { merchant, apps } = await createStoreShop(app, stores);
  const broken = { ...apps, [store]: { ...apps[store], ...wrong } };
  await setStore(app, merchant, broken, store);
  const reply = await call(app, 'POST', `/stores/${store}/test`, undefined, merchant);
  expect(reply).toMatchObject({ status: 200, body: { is_valid: false, problems: [{ field }] } });
});

test.each(storeNames)('200: %s cannot be asked just now', async (store) => {
  const { merchant } = await createStoreShop(app, stores);
  stores.simulator.setHealth('down');
  const reply = await call<{ problems: { message: string }[] }>(
    app,
    'POST',
    `/stores/${store}/test`,
    undefined,
    merchant,
  );
  expect(reply.status).toBe(200);
  expect(reply.body.problems[0]?.message).toContain('is not available');
});

test('404 store_not_configured: a store that was never set up', async () => {
  const { merchant } = await createShop(app);
  const reply = await call(app, 'POST', '/stores/apple/test', undefined, merchant);
  expect(reply).toMatchObject({ status: 404, body: { error: 'store_not_configured' } });
});
