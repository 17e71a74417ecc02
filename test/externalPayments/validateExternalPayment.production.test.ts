import type * as settings from '../../src/adapters/settings';
import { type StoreName } from '../../src/adapters/appStores/store';
import { call } from '../support/client';
import { type TestApp } from '../support/startApp';
import { buy, createStoreShop, eventsOf, present, settled, startStoreApp, type Stores } from '../support/stores';

/** The environment of production, without starting a production service: its cards would be those of the sandbox. */
jest.doMock('../../src/adapters/settings', () => ({
  ...jest.requireActual<typeof settings>('../../src/adapters/settings'),
  environmentName: 'production',
}));

let stores: Stores;
let app: TestApp;
let stop: () => Promise<void>;

beforeAll(async () => {
  ({ app, stores, stop } = await startStoreApp());
});
afterAll(() => stop());

const withSandbox: StoreName[] = ['apple', 'google-play', 'amazon'];

test.each(withSandbox)('external.payment.failed: a test purchase in %s opens nothing', async (store) => {
  const shop = await createStoreShop(app, stores);
  const reply = await present(shop, buy(shop, store, { environment: 'sandbox' }));
  expect(await settled(shop, reply)).toMatchObject({ state: 'failed', reason: 'wrong_environment' });
  const [failed] = await eventsOf(shop, shop.consumer);
  expect(failed).toMatchObject({ type: 'external.payment.failed', resource: { reason: 'wrong_environment' } });
});

test('external.payment.success: unless the merchant takes test purchases; what it was is written down', async () => {
  const shop = await createStoreShop(app, stores);
  await call(app, 'PUT', '/stores/settings', { sandbox_purchases: 'true' }, shop.merchant);
  const reply = await present(shop, buy(shop, 'apple', { environment: 'sandbox' }));
  expect((await settled(shop, reply)).state).toBe('succeeded');
  const { rows } = await app.pool.query('SELECT environment FROM store_purchases WHERE account_id = $1', [
    shop.consumer.id,
  ]);
  expect(rows).toEqual([{ environment: 'sandbox' }]);
});

test('external.payment.success: a real purchase', async () => {
  const shop = await createStoreShop(app, stores);
  expect((await settled(shop, await present(shop, buy(shop, 'apple')))).state).toBe('succeeded');
});
