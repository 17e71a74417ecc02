import { call } from '../../support/client';
import { createFee, createItem, createMerchant, createShop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: how the merchant’s fees give access, each once, in the order they were made', async () => {
  await createShop(app);
  const merchant = await createMerchant(app);
  const { id } = await createItem(app, merchant);
  const list = () => call(app, 'GET', '/items/access-types', undefined, merchant);
  expect(await list()).toMatchObject({ status: 200, body: [] });
  const monthly = await createFee(app, merchant, id);
  const daily = await createFee(app, merchant, id, { access_type: 'ppv', quantity: 2, period: 'day' });
  await createFee(app, merchant, id);
  expect((await list()).body).toEqual([monthly.access_type, daily.access_type]);
  const second = await call(app, 'GET', '/items/access-types?size=1&page=2', undefined, merchant);
  expect(second.body).toEqual([daily.access_type]);
});
