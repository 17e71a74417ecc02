import { withCities } from '../../support/geoDatabase';
import {
  addresses,
  createOpenItem,
  createOpenShop,
  manage,
  refusalOf,
  startBehindProxy,
} from '../../support/restrictions';
import { type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startBehindProxy(withCities());
});

afterAll(() => app.stop());

const { macedonia, america, unknown } = addresses;
const sound = { name: 'Here', global: true, type: 'whitelist' };

test('201: the set with its countries, regions and cities as they were sent', async () => {
  const shop = await createOpenShop(app);
  const fields = {
    ...sound,
    countries: ['MK', 'us-tx'],
    regions: ['US-CA', 'GB-LND'],
    cities: [
      { name: 'Paris', country: 'FR', region: 'FR-IDF' },
      { name: 'Skopje', country: 'mk', region: '', continent: 'Europe' },
    ],
  };
  const { status, body } = await manage(app, shop, 'POST', 'geo/set', fields);
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(Number) as number,
      merchant_id: shop.merchant.id,
      ...sound,
      countries: ['MK', 'US-TX'].map((country) => ({ id: expect.any(Number) as number, country })),
      regions: [{ name: 'US-CA' }, { name: 'GB-LND' }],
      cities: [
        { name: 'Paris', country: 'FR', region: 'FR-IDF' },
        { name: 'Skopje', country: 'MK', region: '' },
      ],
      created_at: expect.any(Number) as number,
    },
  ]);
});

test('201: a global set applies to every item, beside the global country sets', async () => {
  const shop = await createOpenShop(app);
  const other = await createOpenItem(app, shop);
  await manage(app, shop, 'POST', 'geo/set', { ...sound, countries: ['MK'] });
  for (const one of [shop, other]) {
    expect(await refusalOf(app, one, { address: macedonia })).toBeUndefined();
    expect(await refusalOf(app, one, { address: america })).toBe('geo');
    expect(await refusalOf(app, one, { address: unknown })).toBe('geo');
  }
  const countrySet = { ...sound, countries: ['US'] };
  await manage(app, shop, 'POST', 'geo/country-set', countrySet);
  expect(await refusalOf(app, shop, { address: america })).toBeUndefined();
});

test('201: an item’s country set stands in for it', async () => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', 'geo/set', { ...sound, type: 'blacklist', countries: ['US'] });
  const { body } = await manage(app, shop, 'POST', 'geo/country-set', { ...sound, global: false, countries: ['US'] });
  await manage(app, shop, 'POST', `geo/country-set/${String(body['id'])}/item/${shop.item.id}`);
  expect(await refusalOf(app, shop, { address: america })).toBeUndefined();
});

test('201: a set that is not global applies to nothing', async () => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', 'geo/set', { ...sound, global: false, countries: ['MK'] });
  expect(await refusalOf(app, shop, { address: america })).toBeUndefined();
});

test.each([
  ['a country that there is not', { countries: ['XX'] }, 'countries.0'],
  ['a region that there is not', { regions: ['US-CA', 'US-XX'] }, 'regions.1'],
  ['a country among the regions', { regions: ['US'] }, 'regions.0'],
  ['a city without country', { cities: [{ name: 'Paris' }] }, 'cities.0.country'],
  ['a city without name', { cities: [{ country: 'FR' }] }, 'cities.0.name'],
  ['a city in a country that there is not', { cities: [{ name: 'Paris', country: 'XX' }] }, 'cities.0.country'],
  ['a region of another country', { cities: [{ name: 'Paris', country: 'FR', region: 'US-TX' }] }, 'cities.0.region'],
  ['a city that is a text', { cities: ['Paris'] }, 'cities.0'],
  ['no place at all', {}, 'countries'],
  ['a type that there is not', { countries: ['MK'], type: 'greylist' }, 'type'],
])('422 invalid_input: %s', async (_what, fields, field) => {
  const shop = await createOpenShop(app);
  const { status, body } = await manage(app, shop, 'POST', 'geo/set', { ...sound, ...fields });
  expect([status, body['errors']]).toEqual([422, { [field]: expect.any(String) as string }]);
  expect((await manage(app, shop, 'GET', 'geo/set')).body).toEqual([]);
});

test('422 invalid_input: a merchant has at most 500 sets, also after concurrent requests', async () => {
  const shop = await createOpenShop(app);
  await app.pool.query(
    `INSERT INTO geo_sets (merchant_id, name, type, is_global)
     SELECT $1, 'Set ' || n, 'whitelist', false FROM generate_series(1, 499) AS n`,
    [shop.merchant.id],
  );
  const create = () => manage(app, shop, 'POST', 'geo/set', { ...sound, countries: ['MK'] });
  const replies = await Promise.all(Array.from({ length: 4 }, create));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
  expect((await create()).body['errors']).toEqual({ name: 'There are 500 geo sets already.' });
});
