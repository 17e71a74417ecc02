import { withCities } from '../../support/geoDatabase';
import { addresses, createOpenShop, manage, refusalOf, startBehindProxy } from '../../support/restrictions';
import { type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startBehindProxy(withCities());
});

afterAll(() => app.stop());

const fields = { name: 'Here', global: true, type: 'whitelist', countries: ['MK'], regions: ['US-CA'] };

test('200: everything of the set is replaced, and applies at once', async () => {
  const shop = await createOpenShop(app);
  const { body: set } = await manage<{ id: number }>(app, shop, 'POST', 'geo/set', fields);
  expect(await refusalOf(app, shop, { address: addresses.america })).toBe('geo');
  const change = { name: 'There', global: true, type: 'blacklist', cities: [{ name: 'Paris', country: 'FR' }] };
  const { status, body } = await manage(app, shop, 'PUT', `geo/set/${set.id}`, change);
  expect([status, body]).toEqual([
    200,
    { ...set, ...change, countries: [], regions: [], cities: [{ name: 'Paris', country: 'FR', region: '' }] },
  ]);
  expect(await refusalOf(app, shop, { address: addresses.america })).toBeUndefined();
});

test('200: no longer global, it applies to nothing', async () => {
  const shop = await createOpenShop(app);
  const { body: set } = await manage<{ id: number }>(app, shop, 'POST', 'geo/set', fields);
  await manage(app, shop, 'PUT', `geo/set/${set.id}`, { ...fields, global: false });
  expect(await refusalOf(app, shop, { address: addresses.america })).toBeUndefined();
});

test('404 geo_set_not_found: another merchant’s, which stays', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  const { body: set } = await manage<{ id: number }>(app, neighbour, 'POST', 'geo/set', fields);
  const { status, body } = await manage(app, shop, 'PUT', `geo/set/${set.id}`, { ...fields, name: 'Mine' });
  expect([status, body['error']]).toEqual([404, 'geo_set_not_found']);
  expect((await manage(app, neighbour, 'GET', `geo/set/${set.id}`)).body).toEqual(set);
});

test.each([
  ['a country that there is not', { countries: ['XX'] }, 'countries.0'],
  ['a city without country', { cities: [{ name: 'Paris' }] }, 'cities.0.country'],
  ['a city whose country is empty', { cities: [{ name: 'Paris', country: '' }] }, 'cities.0.country'],
  ['a region of another country', { cities: [{ name: 'Paris', country: 'FR', region: 'US-TX' }] }, 'cities.0.region'],
])('422 invalid_input: %s; the set stays', async (_what, places, field) => {
  const shop = await createOpenShop(app);
  const { body: set } = await manage<{ id: number }>(app, shop, 'POST', 'geo/set', fields);
  const reply = await manage(app, shop, 'PUT', `geo/set/${set.id}`, { ...fields, ...places });
  expect([reply.status, reply.body['errors']]).toEqual([422, { [field]: expect.any(String) as string }]);
  expect((await manage(app, shop, 'GET', `geo/set/${set.id}`)).body).toEqual(set);
});
