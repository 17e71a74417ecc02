import { type Card, idsOf } from '../support/catalogue';
import { call } from '../support/client';
import { createItem, createMerchant, createShop } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const reactivate = (id: number, token: { token: string }) =>
  call(app, 'PUT', `/items/reactivate-item/${id}`, undefined, token);

test('200: the item is sold again, at the prices it had', async () => {
  const { merchant, item, fee } = await createShop(app);
  await call(app, 'DELETE', `/items/${item.id}`, undefined, merchant);
  expect(await reactivate(item.id, merchant)).toMatchObject({
    status: 200,
    body: { code: 200, message: 'Item successfully reactivated' },
  });
  const { body } = await call<Card>(app, 'GET', `/items/${item.id}`);
  expect({ isActive: body.is_active, fees: idsOf(body.access_fees) }).toEqual({ isActive: true, fees: [fee.id] });
});

test('404 item_not_found: no such item, and an item of another merchant, which stays off sale', async () => {
  const owner = await createMerchant(app);
  const { id } = await createItem(app, owner);
  await call(app, 'DELETE', `/items/${id}`, undefined, owner);
  const stranger = await createMerchant(app);
  for (const itemId of [2_147_483_647, id])
    expect(await reactivate(itemId, stranger)).toMatchObject({ status: 404, body: { error: 'item_not_found' } });
  expect((await call<Card>(app, 'GET', `/items/${id}`)).body.is_active).toBe(false);
});
