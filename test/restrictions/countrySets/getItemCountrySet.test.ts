import { createCountrySet, createOpenShop, manage, startBehindProxy } from '../../support/restrictions';
import { type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startBehindProxy();
});

afterAll(() => app.stop());

test('200: the set that was applied to the item', async () => {
  const shop = await createOpenShop(app);
  const set = await createCountrySet(app, shop, { global: false });
  await manage(app, shop, 'POST', `geo/country-set/${set.id}/item/${shop.item.id}`);
  const { status, body } = await manage(app, shop, 'GET', `geo/items/${shop.item.id}/country-set`);
  expect([status, body]).toEqual([200, set]);
});

test('404 country_set_not_found: a global set is not the item’s', async () => {
  const shop = await createOpenShop(app);
  await createCountrySet(app, shop);
  const { status, body } = await manage(app, shop, 'GET', `geo/items/${shop.item.id}/country-set`);
  expect([status, body['error']]).toEqual([404, 'country_set_not_found']);
});

test('404 item_not_found: another merchant’s item', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  const { status, body } = await manage(app, shop, 'GET', `geo/items/${neighbour.item.id}/country-set`);
  expect([status, body['error']]).toEqual([404, 'item_not_found']);
});
