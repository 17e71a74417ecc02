import { call } from '../support/client';
import { createConsumer, createMerchant } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: a list of names and booleans, all on until the merchant says otherwise', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const { status, body } = await call<unknown>(app, 'GET', '/v2/features', undefined, consumer);
  expect(status).toBe(200);
  expect(body).toEqual([
    { name: 'external_partner', enabled: true },
    { name: 'favorites', enabled: true },
    { name: 'gifts', enabled: true },
    { name: 'profiles', enabled: true },
    { name: 'social_login', enabled: true },
    { name: 'vouchers', enabled: true },
    { name: 'watch_history', enabled: true },
  ]);
});

test('401 invalid_auth_token: without a token', async () => {
  expect((await call(app, 'GET', '/v2/features')).status).toBe(401);
});
