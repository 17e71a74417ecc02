import { call } from '../support/client';
import { createMerchant } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { createWebhook } from '../support/webhooks';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: one of them, without its secret', async () => {
  const merchant = await createMerchant(app);
  const { secret, ...shown } = await createWebhook(app, merchant, { description: 'Ledger' });
  expect(secret).toMatch(/^whsec_/);
  const { status, body } = await call(app, 'GET', `/webhooks/${shown.id}`, undefined, merchant);
  expect(status).toBe(200);
  expect(body).toEqual(shown);
});

test('404 webhook_not_found: another merchant’s, or none', async () => {
  const merchant = await createMerchant(app);
  const { id } = await createWebhook(app, await createMerchant(app));
  for (const unknown of [id, 2_147_483_647])
    expect(await call(app, 'GET', `/webhooks/${unknown}`, undefined, merchant)).toMatchObject({
      status: 404,
      body: { error: 'webhook_not_found', message: 'Webhook not found' },
    });
});
