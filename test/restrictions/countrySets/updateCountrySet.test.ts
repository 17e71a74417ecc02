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

test('200: everything of the set is replaced, and applies at once', async () => {
  const shop = await createOpenShop(app);
  const set = await createCountrySet(app, shop, { countries: ['US', 'AL'] });
  expect(await refusalOf(app, shop, { address: addresses.macedonia })).toBe('geo');
  const fields = { name: 'Others', global: true, type: 'blacklist', countries: ['US', 'AT'] };
  const { status, body } = await manage(app, shop, 'PUT', `geo/country-set/${set.id}`, fields);
  expect([status, body]).toEqual([200, { ...set, ...fields, countries: [{ country: 'AT' }, { country: 'US' }] }]);
  expect(await refusalOf(app, shop, { address: addresses.macedonia })).toBeUndefined();
  expect(await refusalOf(app, shop, { address: addresses.america })).toBe('geo');
});

test('200: two at once leave the countries of one', async () => {
  const shop = await createOpenShop(app);
  const { id } = await createCountrySet(app, shop);
  const sent = [
    ['US', 'AT'],
    ['AL', 'BA'],
    ['RS', 'ME'],
  ];
  await Promise.all(
    sent.map((countries) =>
      manage(app, shop, 'PUT', `geo/country-set/${id}`, { name: 'N', global: 1, type: 'whitelist', countries }),
    ),
  );
  const { body } = await manage<{ countries: unknown[] }>(app, shop, 'GET', `geo/country-set/${id}`);
  expect(body.countries).toHaveLength(2);
});

test('404 country_set_not_found: another merchant’s, which stays', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  const set = await createCountrySet(app, neighbour);
  const fields = { name: 'Mine', global: true, type: 'blacklist', countries: ['MK'] };
  const { status, body } = await manage(app, shop, 'PUT', `geo/country-set/${set.id}`, fields);
  expect([status, body['error']]).toEqual([404, 'country_set_not_found']);
  expect((await manage(app, neighbour, 'GET', `geo/country-set/${set.id}`)).body).toEqual(set);
});

test('422 invalid_input: a country that there is not; the set stays', async () => {
  const shop = await createOpenShop(app);
  const set = await createCountrySet(app, shop);
  const fields = { name: 'N', global: true, type: 'whitelist', countries: ['XX'] };
  const { status, body } = await manage(app, shop, 'PUT', `geo/country-set/${set.id}`, fields);
  expect([status, body['errors']]).toEqual([422, { 'countries.0': expect.any(String) as string }]);
  expect((await manage(app, shop, 'GET', `geo/country-set/${set.id}`)).body).toEqual(set);
});
