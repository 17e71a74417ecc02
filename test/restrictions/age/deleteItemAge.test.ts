import { createOpenShop, manage, refusalOf, yearsAgo } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: the merchant’s rule applies to the item again', async () => {
  const shop = await createOpenShop(app, yearsAgo(17));
  await manage(app, shop, 'POST', 'age', { min_age: 18 });
  await manage(app, shop, 'POST', `age/item/${shop.item.id}`, { min_age: 6 });
  expect(await refusalOf(app, shop)).toBeUndefined();
  expect((await manage(app, shop, 'DELETE', `age/${shop.item.id}`)).status).toBe(200);
  expect(await refusalOf(app, shop)).toBe('age');
});

test('404 restriction_not_found: the item has none, and the merchant’s stays', async () => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', 'age', { min_age: 18 });
  const { status, body } = await manage(app, shop, 'DELETE', `age/${shop.item.id}`);
  expect([status, body['error']]).toEqual([404, 'restriction_not_found']);
  expect(await refusalOf(app, shop)).toBe('age');
});

test('404 item_not_found: another merchant’s item, whose rule stays', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  await manage(app, neighbour, 'POST', `age/item/${neighbour.item.id}`, { min_age: 18 });
  const { status, body } = await manage(app, shop, 'DELETE', `age/${neighbour.item.id}`);
  expect([status, body['error']]).toEqual([404, 'item_not_found']);
  expect(await refusalOf(app, neighbour)).toBe('age');
});
