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
  const names = [
    ...['analytics', 'app_stores', 'external_partner', 'favorites', 'gifts', 'profiles', 'push'],
    ...['scheduled_reports', 'social_login', 'vouchers', 'watch_history', 'webhooks'],
  ];
  expect(body).toEqual(names.map((name) => ({ name, enabled: true })));
});

test('401 invalid_auth_token: without a token', async () => {
  expect((await call(app, 'GET', '/v2/features')).status).toBe(401);
});
