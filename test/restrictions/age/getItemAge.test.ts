import { createOpenShop, manage } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: the item’s own minimum age', async () => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', `age/item/${shop.item.id}`, { min_age: 18 });
  const { status, body } = await manage(app, shop, 'GET', `age/item/${shop.item.id}`);
  expect([status, body]).toEqual([
    200,
    {
      min_age: 18,
      item_id: shop.item.id,
      merchant_id: shop.merchant.id,
      created_at: expect.any(Number) as number,
      updated_at: expect.any(Number) as number,
    },
  ]);
});

test('404 restriction_not_found: the merchant’s rule is not the item’s', async () => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', 'age', { min_age: 18 });
  const { status, body } = await manage(app, shop, 'GET', `age/item/${shop.item.id}`);
  expect([status, body['error']]).toEqual([404, 'restriction_not_found']);
});

test('404 item_not_found: another merchant’s item', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  const { status, body } = await manage(app, shop, 'GET', `age/item/${neighbour.item.id}`);
  expect([status, body['error']]).toEqual([404, 'item_not_found']);
});
