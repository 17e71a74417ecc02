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

test('200: the global sets apply again; the set itself stays, and so do the item’s other rules', async () => {
  const shop = await createOpenShop(app, '1980-02-29');
  const { macedonia, america } = addresses;
  const { id } = await createCountrySet(app, shop, { global: false, countries: ['MK'] });
  await createCountrySet(app, shop, { countries: ['US'] });
  await manage(app, shop, 'POST', `geo/country-set/${id}/item/${shop.item.id}`);
  await manage(app, shop, 'POST', `age/item/${shop.item.id}`, { min_age: 18 });
  await manage(app, shop, 'POST', `domain/blacklist/item/${shop.item.id}`, { domains: [{ domain: 'evil.example' }] });
  expect(await refusalOf(app, shop, { address: america })).toBe('geo');
  const path = `geo/country-set/item/${shop.item.id}`;
  expect((await manage(app, shop, 'DELETE', path)).status).toBe(200);
  expect(await refusalOf(app, shop, { address: america })).toBeUndefined();
  expect(await refusalOf(app, shop, { address: macedonia })).toBe('geo');
  expect(await refusalOf(app, shop, { address: america, origin: 'https://evil.example' })).toBe('domain');
  expect((await manage(app, shop, 'GET', `age/item/${shop.item.id}`)).status).toBe(200);
  expect((await manage(app, shop, 'GET', `geo/country-set/${id}`)).status).toBe(200);
});

test('404 country_set_not_found: the item has none', async () => {
  const shop = await createOpenShop(app);
  const { status, body } = await manage(app, shop, 'DELETE', `geo/country-set/item/${shop.item.id}`);
  expect([status, body['error']]).toEqual([404, 'country_set_not_found']);
});

test('404 item_not_found: another merchant’s item, whose set stays', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  const { id } = await createCountrySet(app, neighbour, { global: false });
  await manage(app, neighbour, 'POST', `geo/country-set/${id}/item/${neighbour.item.id}`);
  const { status, body } = await manage(app, shop, 'DELETE', `geo/country-set/item/${neighbour.item.id}`);
  expect([status, body['error']]).toEqual([404, 'item_not_found']);
  expect((await manage(app, neighbour, 'GET', `geo/items/${neighbour.item.id}/country-set`)).status).toBe(200);
});
