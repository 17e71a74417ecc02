import { withCities } from '../../support/geoDatabase';
import { createOpenShop, manage, startBehindProxy } from '../../support/restrictions';
import { type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startBehindProxy(withCities());
});

afterAll(() => app.stop());

const fields = { name: 'Here', global: false, type: 'whitelist', regions: ['US-CA'] };

test('200: the set as it was made', async () => {
  const shop = await createOpenShop(app);
  const { body: set } = await manage<{ id: number }>(app, shop, 'POST', 'geo/set', fields);
  const { status, body } = await manage(app, shop, 'GET', `geo/set/${set.id}`);
  expect([status, body]).toEqual([200, set]);
});

test('404 geo_set_not_found: another merchant’s, and none at all', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  const { body: set } = await manage<{ id: number }>(app, neighbour, 'POST', 'geo/set', fields);
  for (const id of [String(set.id), '2000000000', 'x']) {
    const { status, body } = await manage(app, shop, 'GET', `geo/set/${id}`);
    expect([status, body['error']]).toEqual([404, 'geo_set_not_found']);
  }
});
