import { call } from '../support/client';
import { createConsumer, createMerchant } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: whose token it is, as in v1 and v2', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const { status, body } = await call(app, 'GET', '/v3/accounts', undefined, consumer);
  expect(status).toBe(200);
  expect(body).toMatchObject({ id: consumer.id, email: consumer.email });
  expect(body).toEqual((await call(app, 'GET', '/accounts', undefined, consumer)).body);
});

test('401 invalid_auth_token: without a token', async () => {
  expect((await call(app, 'GET', '/v3/accounts')).status).toBe(401);
});
