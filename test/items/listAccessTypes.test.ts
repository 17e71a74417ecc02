import { call } from '../support/client';
import { createFee, createItem, createMerchant, createShop, type Person } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const list = (merchant: Person, query = '') =>
  call<Record<string, unknown>[]>(app, 'GET', `/items/access-types${query}`, undefined, merchant);

test('200: a new merchant has the types that most fees need, and creates its first fee by the id of one', async () => {
  const merchant = await createMerchant(app);
  const { status, body } = await list(merchant);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: [
      { name: 'subscription', quantity: 1, period: 'month', account_id: merchant.id },
      { name: 'subscription', quantity: 1, period: 'year' },
      { name: 'ppv', quantity: 24, period: 'hour' },
    ],
  });
  const { id } = await createItem(app, merchant);
  const fields = { access_type_id: body[2]?.['id'], amount: 3, currency: 'EUR', description: 'A day' };
  const fee = await call(app, 'POST', `/v2/items/${id}/access-fees`, fields, merchant);
  expect(fee).toMatchObject({ status: 201, body: { access_type: { name: 'ppv', quantity: 24, period: 'hour' } } });
});

test('200: how the merchant’s fees give access, each once, in the order they were made', async () => {
  await createShop(app);
  const merchant = await createMerchant(app);
  const { id } = await createItem(app, merchant);
  const monthly = await createFee(app, merchant, id);
  const daily = await createFee(app, merchant, id, { access_type: 'ppv', quantity: 2, period: 'day' });
  await createFee(app, merchant, id);
  const { body } = await list(merchant);
  expect([body[0], body.slice(3)]).toEqual([monthly.access_type, [daily.access_type]]);
  expect((await list(merchant, '?size=1&page=4')).body).toEqual([daily.access_type]);
});
