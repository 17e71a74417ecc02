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

test('200: the others stay', async () => {
  const shop = await createOpenShop(app);
  const { id } = await createCountrySet(app, shop, { countries: ['MK', 'US'] });
  expect((await manage(app, shop, 'DELETE', `geo/country-set/${id}/country/US`)).status).toBe(200);
  expect((await manage(app, shop, 'GET', `geo/country-set/${id}`)).body).toMatchObject({
    countries: [{ country: 'MK' }],
  });
  expect(await refusalOf(app, shop, { address: addresses.america })).toBe('geo');
  expect(await refusalOf(app, shop, { address: addresses.macedonia })).toBeUndefined();
});

test('200: without its last country a whitelist lets nobody in, and a blacklist everybody', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  const white = await createCountrySet(app, shop, { countries: ['MK'] });
  const black = await createCountrySet(app, neighbour, { type: 'blacklist', countries: ['MK'] });
  await manage(app, shop, 'DELETE', `geo/country-set/${white.id}/country/MK`);
  await manage(app, neighbour, 'DELETE', `geo/country-set/${black.id}/country/MK`);
  expect(await refusalOf(app, shop, { address: addresses.macedonia })).toBe('geo');
  expect(await refusalOf(app, neighbour, { address: addresses.macedonia })).toBeUndefined();
});

test('404 restriction_not_found: a country that is not in the set, or none at all', async () => {
  const shop = await createOpenShop(app);
  const { id } = await createCountrySet(app, shop, { countries: ['MK'] });
  for (const country of ['US', 'XX', 'nowhere']) {
    const { status, body } = await manage(app, shop, 'DELETE', `geo/country-set/${id}/country/${country}`);
    expect([status, body['error']]).toEqual([404, 'restriction_not_found']);
  }
});

test('404 country_set_not_found: another merchant’s set, which stays', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  const { id, countries } = await createCountrySet(app, neighbour, { countries: ['MK'] });
  const { status, body } = await manage(app, shop, 'DELETE', `geo/country-set/${id}/country/MK`);
  expect([status, body['error']]).toEqual([404, 'country_set_not_found']);
  expect((await manage(app, neighbour, 'GET', `geo/country-set/${id}`)).body).toMatchObject({ countries });
});
