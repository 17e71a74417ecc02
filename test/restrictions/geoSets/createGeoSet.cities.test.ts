import { writeGeoDatabase } from '../../support/geoDatabase';
import { addresses, createOpenShop, manage, refusalOf, startBehindProxy } from '../../support/restrictions';
import { type TestApp } from '../../support/startApp';

/** With a database of cities of the operator's. */

let app: TestApp;

const california = '8.8.8.8';
const texas = '8.8.4.4';

beforeAll(async () => {
  const country = { iso_code: 'US' };
  const database = writeGeoDatabase({
    [california]: { country, subdivisions: [{ iso_code: 'CA' }], city: { names: { en: 'San José' } } },
    [texas]: { country, subdivisions: [{ iso_code: 'TX' }], city: { names: { en: 'Paris' } } },
  });
  app = await startBehindProxy({ GEOIP_DATABASE: database });
});

afterAll(() => app.stop());

const sound = { name: 'Here', global: true, type: 'whitelist' };

test.each([
  ['a region', { regions: ['US-CA'] }],
  ['a region among the countries', { countries: ['US-CA'] }],
  ['a city', { cities: [{ name: 'San Jose', country: 'US', region: 'US-CA' }] }],
])('201: %s lets in who is there, and nobody else', async (_what, places) => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', 'geo/set', { ...sound, ...places });
  expect(await refusalOf(app, shop, { address: california })).toBeUndefined();
  expect(await refusalOf(app, shop, { address: texas })).toBe('geo');
  expect(await refusalOf(app, shop, { address: addresses.macedonia })).toBe('geo');
});

test('201: a city of the same name in another country is another city', async () => {
  const shop = await createOpenShop(app);
  const cities = [{ name: 'Paris', country: 'FR' }];
  await manage(app, shop, 'POST', 'geo/set', { ...sound, type: 'blacklist', cities });
  expect(await refusalOf(app, shop, { address: texas })).toBeUndefined();
});
