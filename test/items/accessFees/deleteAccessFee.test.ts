import { type Fee, idsOf } from '../../support/catalogue';
import { call } from '../../support/client';
import { createConsumer, createFee, createMerchant, createShop, purchase, subscribe } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const remove = (id: number | string, token: { token: string }) =>
  call(app, 'DELETE', `/items/access-fees/${id}`, undefined, token);

test('200: the fee is not listed and cannot be bought; its subscribers keep it', async () => {
  const shop = await createShop(app);
  const other = await createFee(app, shop.merchant, shop.item.id);
  const { body: submitted } = await subscribe(app, shop);
  expect(await remove(shop.fee.id, shop.merchant)).toMatchObject({
    status: 200,
    body: { code: 200, message: 'Access fee successfully deleted' },
  });
  const { body } = await call<Fee[]>(app, 'GET', `/v2/items/${shop.item.id}/access-fees`);
  expect(idsOf(body)).toEqual([other.id]);
  const consumer = await createConsumer(app, shop.merchant);
  expect((await call(app, 'POST', '/subscriptions', purchase(shop), consumer)).status).toBe(404);
  const path = `/subscriptions/${submitted.subscription_id}`;
  expect((await call(app, 'GET', path, undefined, shop.consumer)).body).toMatchObject({ access_fee_id: shop.fee.id });
});

test('200: what it was called in a store can be another fee’s name', async () => {
  const external_fees = [{ payment_provider_id: 13, external_id: 'org.example.monthly' }];
  const { merchant, item, fee } = await createShop(app, { external_fees });
  await remove(fee.id, merchant);
  expect((await createFee(app, merchant, item.id, { external_fees })).external_fees).toHaveLength(1);
});

test('404 access_fee_not_found: no such fee, one that was deleted, and one of another merchant, which stays', async () => {
  const { merchant, item, fee } = await createShop(app);
  const stranger = await createMerchant(app);
  for (const id of [2_147_483_647, fee.id, 'x'])
    expect(await remove(id, stranger)).toMatchObject({ status: 404, body: { error: 'access_fee_not_found' } });
  expect((await call<Fee[]>(app, 'GET', `/v2/items/${item.id}/access-fees`)).body).toHaveLength(1);
  await remove(fee.id, merchant);
  expect((await remove(fee.id, merchant)).status).toBe(404);
});
