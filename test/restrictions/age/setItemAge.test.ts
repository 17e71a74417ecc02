import { createOpenItem, createOpenShop, manage, refusalOf, yearsAgo } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: an item’s minimum age wins over the merchant’s, be it lower or higher', async () => {
  const shop = await createOpenShop(app, yearsAgo(17));
  const other = await createOpenItem(app, shop);
  await manage(app, shop, 'POST', 'age', { min_age: 18 });
  await manage(app, shop, 'POST', `age/item/${shop.item.id}`, { min_age: 12 });
  expect([await refusalOf(app, shop), await refusalOf(app, other)]).toEqual([undefined, 'age']);
  await manage(app, shop, 'POST', 'age', { min_age: 6 });
  await manage(app, shop, 'POST', `age/item/${shop.item.id}`, { min_age: 21 });
  expect([await refusalOf(app, shop), await refusalOf(app, other)]).toEqual(['age', undefined]);
});

test('404 item_not_found: another merchant’s item, and none at all', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  for (const id of [neighbour.item.id, 2_000_000_000])
    expect(await manage(app, shop, 'POST', `age/item/${id}`, { min_age: 18 })).toMatchObject({
      status: 404,
      body: { error: 'item_not_found' },
    });
  expect(await refusalOf(app, neighbour)).toBeUndefined();
});

test('422 invalid_input: min_age 0', async () => {
  const shop = await createOpenShop(app);
  expect((await manage(app, shop, 'POST', `age/item/${shop.item.id}`, { min_age: 0 })).status).toBe(422);
});
