import { call } from '../../support/client';
import { createPayShop } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));

afterAll(() => app.stop());

test('422 payment_method_not_offered: PayPal is refused by its name', async () => {
  const { consumer, fee } = await createPayShop(app);
  const body = { origin: 'https://shop.example.org', access_fee: fee.id, payment_method: 2, branding_id: 'undefined' };
  const reply = await call(app, 'POST', '/external-payments', body, consumer);
  expect(reply.status).toBe(422);
  expect(reply.body).toMatchObject({ code: 422, error: 'payment_method_not_offered' });
});
