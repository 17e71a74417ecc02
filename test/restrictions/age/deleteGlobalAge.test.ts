import { createMerchant } from '../../support/factories';
import { createOpenItem, createOpenShop, manage, refusalOf } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: the rule of an item stays', async () => {
  const shop = await createOpenShop(app);
  const other = await createOpenItem(app, shop);
  await manage(app, shop, 'POST', 'age', { min_age: 18 });
  await manage(app, shop, 'POST', `age/item/${shop.item.id}`, { min_age: 16 });
  expect((await manage(app, shop, 'DELETE', 'age')).status).toBe(200);
  expect([await refusalOf(app, shop), await refusalOf(app, other)]).toEqual(['age', undefined]);
});

test('404 restriction_not_found: there is none', async () => {
  const merchant = await createMerchant(app);
  expect((await manage(app, { merchant }, 'DELETE', 'age')).body).toMatchObject({ error: 'restriction_not_found' });
});
