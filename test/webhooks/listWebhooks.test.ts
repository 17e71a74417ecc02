import { call } from '../support/client';
import { createMerchant } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { createWebhook } from '../support/webhooks';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: the merchant’s own, without their secrets', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  await createWebhook(app, other);
  const made = [await createWebhook(app, merchant), await createWebhook(app, merchant, { events: ['access.granted'] })];
  const { status, body } = await call(app, 'GET', '/webhooks', undefined, merchant);
  expect(status).toBe(200);
  expect(body).toEqual({ total: 2, collection: made.map(({ secret: _secret, ...shown }) => shown) });
});
