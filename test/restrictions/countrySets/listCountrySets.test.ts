import { createCountrySet, createOpenShop, manage, startBehindProxy } from '../../support/restrictions';
import { type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startBehindProxy();
});

afterAll(() => app.stop());

test('200: all of the merchant’s by id, and no other merchant’s', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  const first = await createCountrySet(app, shop, { global: false });
  const second = await createCountrySet(app, shop, { type: 'blacklist', countries: ['US'] });
  await createCountrySet(app, neighbour);
  const { status, body } = await manage(app, shop, 'GET', 'geo/country-set');
  expect([status, body]).toEqual([200, [first, second]]);
});
