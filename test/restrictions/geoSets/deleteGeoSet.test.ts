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

const fields = { name: 'Here', global: true, type: 'blacklist', countries: ['MK'] };

test('200: the country sets stay', async () => {
  const shop = await createOpenShop(app);
  const { macedonia, america } = addresses;
  await createCountrySet(app, shop, { type: 'blacklist', countries: ['US'] });
  const { body: set } = await manage<{ id: number }>(app, shop, 'POST', 'geo/set', fields);
  expect(await refusalOf(app, shop, { address: macedonia })).toBe('geo');
  expect((await manage(app, shop, 'DELETE', `geo/set/${set.id}`)).status).toBe(200);
  expect(await refusalOf(app, shop, { address: macedonia })).toBeUndefined();
  expect(await refusalOf(app, shop, { address: america })).toBe('geo');
});

test('404 geo_set_not_found: another merchant’s, which stays', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  const { body: set } = await manage<{ id: number }>(app, neighbour, 'POST', 'geo/set', fields);
  const { status, body } = await manage(app, shop, 'DELETE', `geo/set/${set.id}`);
  expect([status, body['error']]).toEqual([404, 'geo_set_not_found']);
  expect((await manage(app, neighbour, 'GET', `geo/set/${set.id}`)).status).toBe(200);
});
