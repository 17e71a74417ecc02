import { createOpenShop, manage, startBehindProxy } from '../../support/restrictions';
import { type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startBehindProxy();
});

afterAll(() => app.stop());

test('200: all of the merchant’s by id, and no other merchant’s', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  const create = async (who: typeof shop, name: string) =>
    (await manage(app, who, 'POST', 'geo/set', { name, global: false, type: 'whitelist', countries: ['MK'] })).body;
  const sets = [await create(shop, 'First'), await create(shop, 'Second')];
  await create(neighbour, 'Theirs');
  const { status, body } = await manage(app, shop, 'GET', 'geo/set');
  expect([status, body]).toEqual([200, sets]);
});
