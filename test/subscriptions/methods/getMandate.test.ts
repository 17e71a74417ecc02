import { call } from '../../support/client';
import { createPayShop } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));

afterAll(() => app.stop());

test('422 payment_method_not_offered: direct debits are refused by their name', async () => {
  const { consumer } = await createPayShop(app);
  const body = undefined;
  const reply = await call(app, 'GET', '/v2/payments/direct-debit/mandate', body, consumer);
  expect(reply.status).toBe(422);
  expect(reply.body).toMatchObject({ code: 422, error: 'payment_method_not_offered' });
});
