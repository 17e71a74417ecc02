import {
  addresses,
  createCountrySet,
  createOpenItem,
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

const { macedonia, america, unknown } = addresses;

test('201: the set, its countries in upper case, once each, in alphabetical order', async () => {
  const shop = await createOpenShop(app);
  const fields = { name: 'Balkans', global: false, type: 'whitelist', countries: ['MK', 'al', 'MK'] };
  const { status, body } = await manage(app, shop, 'POST', 'geo/country-set', fields);
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(Number) as number,
      merchant_id: shop.merchant.id,
      name: 'Balkans',
      type: 'whitelist',
      global: false,
      countries: [{ country: 'AL' }, { country: 'MK' }],
      created_at: expect.any(Number) as number,
    },
  ]);
});

test('201: a global whitelist applies to every item at once, and refuses an unknown country', async () => {
  const shop = await createOpenShop(app);
  const other = await createOpenItem(app, shop);
  await createCountrySet(app, shop, { countries: ['MK'] });
  for (const one of [shop, other]) {
    expect(await refusalOf(app, one, { address: macedonia })).toBeUndefined();
    expect(await refusalOf(app, one, { address: america })).toBe('geo');
    expect(await refusalOf(app, one, { address: unknown })).toBe('geo');
  }
});

test('201: a global blacklist passes an unknown country, and wins over a whitelist', async () => {
  const shop = await createOpenShop(app);
  await createCountrySet(app, shop, { type: 'blacklist', countries: ['US'] });
  expect(await refusalOf(app, shop, { address: america })).toBe('geo');
  expect(await refusalOf(app, shop, { address: unknown })).toBeUndefined();
  await createCountrySet(app, shop, { type: 'whitelist', countries: ['US', 'MK'] });
  expect(await refusalOf(app, shop, { address: america })).toBe('geo');
  expect(await refusalOf(app, shop, { address: macedonia })).toBeUndefined();
});

test('201: one of several whitelists is enough', async () => {
  const shop = await createOpenShop(app);
  await createCountrySet(app, shop, { countries: ['US'] });
  await createCountrySet(app, shop, { countries: ['MK'] });
  expect(await refusalOf(app, shop, { address: america })).toBeUndefined();
  expect(await refusalOf(app, shop, { address: macedonia })).toBeUndefined();
});

test('201: a set that is not global applies to nothing until it is applied', async () => {
  const shop = await createOpenShop(app);
  await createCountrySet(app, shop, { global: false, countries: ['MK'] });
  expect(await refusalOf(app, shop, { address: america })).toBeUndefined();
});

test.each(['XX', 'MKD', 'XK', 'EU', 'mace', '12', 'US-CA'])('422 invalid_input: %s is no country', async (country) => {
  const shop = await createOpenShop(app);
  const fields = { name: 'Bad', global: true, type: 'whitelist', countries: ['MK', country] };
  const { status, body } = await manage(app, shop, 'POST', 'geo/country-set', fields);
  expect([status, body['errors']]).toEqual([422, { 'countries.1': expect.any(String) as string }]);
  expect((await manage(app, shop, 'GET', 'geo/country-set')).body).toEqual([]);
});

test.each([{ type: 'greylist' }, { global: 'perhaps' }, { name: 'x'.repeat(251) }])(
  '422 invalid_input: %j',
  async (bad) => {
    const shop = await createOpenShop(app);
    const fields = { name: 'Bad', global: true, type: 'whitelist', countries: ['MK'], ...bad };
    const { status, body } = await manage(app, shop, 'POST', 'geo/country-set', fields);
    expect([status, Object.keys(body['errors'] ?? {})]).toEqual([422, Object.keys(bad)]);
  },
);

test('422 invalid_input: a merchant has at most 500 sets, also after concurrent requests', async () => {
  const shop = await createOpenShop(app);
  await app.pool.query(
    `INSERT INTO country_sets (merchant_id, name, type, is_global)
     SELECT $1, 'Set ' || n, 'whitelist', false FROM generate_series(1, 499) AS n`,
    [shop.merchant.id],
  );
  const fields = { name: 'Balkans', global: false, type: 'whitelist', countries: ['MK'] };
  const create = () => manage(app, shop, 'POST', 'geo/country-set', fields);
  const replies = await Promise.all(Array.from({ length: 4 }, create));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
  expect((await create()).body['errors']).toEqual({ name: 'There are 500 country sets already.' });
});
