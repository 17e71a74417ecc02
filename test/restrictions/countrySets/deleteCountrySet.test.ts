import { createFee } from '../../support/factories';
import {
  addresses,
  createCountrySet,
  createOpenShop,
  manage,
  refusalOf,
  startBehindProxy,
} from '../../support/restrictions';
import { type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startBehindProxy();
});

afterAll(() => app.stop());

test('200: an item that it was applied to has the global sets again', async () => {
  const shop = await createOpenShop(app);
  await createCountrySet(app, shop, { countries: ['MK'] });
  const own = await createCountrySet(app, shop, { global: false, countries: ['US'] });
  await manage(app, shop, 'POST', `geo/country-set/${own.id}/item/${shop.item.id}`);
  expect(await refusalOf(app, shop, { address: addresses.macedonia })).toBe('geo');
  expect((await manage(app, shop, 'DELETE', `geo/country-set/${own.id}`)).status).toBe(200);
  expect(await refusalOf(app, shop, { address: addresses.macedonia })).toBeUndefined();
  expect(await refusalOf(app, shop, { address: addresses.america })).toBe('geo');
  expect((await manage(app, shop, 'GET', `geo/items/${shop.item.id}/country-set`)).status).toBe(404);
});

test('404 country_set_not_found: another merchant’s, which stays', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  const { id } = await createCountrySet(app, neighbour);
  const { status, body } = await manage(app, shop, 'DELETE', `geo/country-set/${id}`);
  expect([status, body['error']]).toEqual([404, 'country_set_not_found']);
  expect((await manage(app, neighbour, 'GET', `geo/country-set/${id}`)).status).toBe(200);
});

test('409 country_set_in_use: a fee is sold by it; it stays and goes on applying', async () => {
  const shop = await createOpenShop(app);
  const { id } = await createCountrySet(app, shop, { countries: ['MK'] });
  await createFee(app, shop.merchant, shop.item.id, { country_set_id: id });
  const { status, body } = await manage(app, shop, 'DELETE', `geo/country-set/${id}`);
  expect([status, body['error']]).toEqual([409, 'country_set_in_use']);
  expect(await refusalOf(app, shop, { address: addresses.america })).toBe('geo');
});
