import { call } from '../../support/client';
import { createPayShop } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));

afterAll(() => app.stop());

test('422 payment_method_not_offered: nothing can be donated', async () => {
  const { consumer, item } = await createPayShop(app);
  const body = { payment_method: 'Card', number: '4242424242424242', item_id: item.id, currency_iso: 'EUR', amount: 5 };
  const reply = await call(app, 'POST', '/v2/payments/donation', body, consumer);
  expect(reply.status).toBe(422);
  expect(reply.body).toMatchObject({ code: 422, error: 'payment_method_not_offered' });
});
