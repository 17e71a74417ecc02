import { createPackage, type Package } from '../../support/catalogue';
import { call } from '../../support/client';
import { createConsumer, createFee, createItem, createMerchant, purchase } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const remove = (id: number, token: { token: string }) => call(app, 'DELETE', `/items/packages/${id}`, undefined, token);

test('200: nobody can buy it any more, and its items stay on sale', async () => {
  const merchant = await createMerchant(app);
  const item = await createItem(app, merchant);
  const made = await createPackage(app, merchant, { items: [item.id] });
  const fee = await createFee(app, merchant, made.id);
  expect(await remove(made.id, merchant)).toMatchObject({
    status: 200,
    body: { code: 200, message: 'Package successfully deactivated' },
  });
  expect((await call<Package>(app, 'GET', `/items/packages/${made.id}`)).body).toMatchObject({
    is_active: false,
    items: 1,
  });
  expect((await call<{ is_active: boolean }>(app, 'GET', `/items/${item.id}`)).body.is_active).toBe(true);
  const consumer = await createConsumer(app, merchant);
  const buying = { merchant, consumer, item, fee };
  expect((await call(app, 'POST', '/subscriptions', purchase(buying), consumer)).status).toBe(404);
});

test('404 item_not_found: no such package, an item that is none, and a package of another merchant', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  const item = await createItem(app, merchant);
  const foreign = await createPackage(app, other);
  for (const id of [2_147_483_647, item.id, foreign.id])
    expect(await remove(id, merchant)).toMatchObject({ status: 404, body: { error: 'item_not_found' } });
  expect((await call<Package>(app, 'GET', `/items/packages/${foreign.id}`)).body.is_active).toBe(true);
});
