import { createCountrySet, createOpenShop, manage, startBehindProxy } from '../../support/restrictions';
import { type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startBehindProxy();
});

afterAll(() => app.stop());

test('200: the set as it was made', async () => {
  const shop = await createOpenShop(app);
  const set = await createCountrySet(app, shop, { countries: ['US', 'MK'] });
  const { status, body } = await manage(app, shop, 'GET', `geo/country-set/${set.id}`);
  expect([status, body]).toEqual([200, set]);
});

test('404 country_set_not_found: another merchant’s, and none at all', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  const { id } = await createCountrySet(app, neighbour);
  for (const path of [`${id}`, '2000000000', 'x']) {
    const { status, body } = await manage(app, shop, 'GET', `geo/country-set/${path}`);
    expect([status, body['error']]).toEqual([404, 'country_set_not_found']);
  }
});
