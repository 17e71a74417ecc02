import { call } from '../../support/client';
import { createPayShop } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));

afterAll(() => app.stop());

test('422 payment_method_not_offered: nothing can be donated', async () => {
  const { consumer } = await createPayShop(app);
  const body = { pi_id: 'pi_1', payment_method: 'Card' };
  const reply = await call(app, 'POST', '/v2/payments/donation:confirm', body, consumer);
  expect(reply.status).toBe(422);
  expect(reply.body).toMatchObject({ code: 422, error: 'payment_method_not_offered' });
});
