import { call } from '../../support/client';
import { createShop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));

afterAll(() => app.stop());

const returnUrl = 'https://shop.example.org/back?ippwat=ppv';
const calls = [
  ['/v2/subscriptions', { payment_method: 'Direct Debit' }],
  ['/v2/subscriptions', { payment_method: 'ideal', bank: 'ing', return_url: returnUrl }],
  ['/subscriptions', { payment_method: 2 }],
] as const;

test.each(calls)('422 payment_method_not_offered: POST %s with %o', async (path, fields) => {
  const shop = await createShop(app);
  const body = { access_fee_id: shop.fee.id, item_id: shop.item.id, ...fields };
  const reply = await call(app, 'POST', path, body, shop.consumer);
  expect(reply.status).toBe(422);
  expect(reply.body).toMatchObject({ error: 'payment_method_not_offered' });
});
