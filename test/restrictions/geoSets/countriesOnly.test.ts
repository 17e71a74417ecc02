import { createOpenShop, manage, startBehindProxy } from '../../support/restrictions';
import { type TestApp } from '../../support/startApp';

/** An installation with the packaged database, which knows countries only. */

let app: TestApp;

beforeAll(async () => {
  app = await startBehindProxy();
});

afterAll(() => app.stop());

const fields = { name: 'Here', global: true, type: 'whitelist', countries: ['US'] };

test.each([
  ['a region among the countries', { countries: ['US', 'US-CA'] }, ['countries']],
  ['a region', { regions: ['DE-BE'] }, ['regions']],
  ['a city', { cities: [{ name: 'Paris', country: 'FR' }] }, ['cities']],
  ['a region and a city', { regions: ['DE-BE'], cities: [{ name: 'Paris', country: 'FR' }] }, ['regions', 'cities']],
])('422 invalid_input: %s cannot be known here, so it is not stored', async (_what, places, named) => {
  const shop = await createOpenShop(app);
  const refused = await manage<{ errors?: object }>(app, shop, 'POST', 'geo/set', { ...fields, ...places });
  expect([refused.status, Object.keys(refused.body.errors ?? {})]).toEqual([422, named]);
  expect(JSON.stringify(refused.body)).toContain('GEOIP_DATABASE');
  const { body: set } = await manage<{ id: number }>(app, shop, 'POST', 'geo/set', fields);
  expect((await manage(app, shop, 'PUT', `geo/set/${set.id}`, { ...fields, ...places })).status).toBe(422);
  expect((await manage(app, shop, 'GET', 'geo/set')).body).toEqual([set]);
});

test('201: every installation recognizes countries', async () => {
  const shop = await createOpenShop(app);
  expect((await manage(app, shop, 'POST', 'geo/set', fields)).status).toBe(201);
});
