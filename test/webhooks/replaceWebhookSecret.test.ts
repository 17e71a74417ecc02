import { call } from '../support/client';
import { createMerchant } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { createWebhook } from '../support/webhooks';

/** test/workflows/webhooks.test.ts tests signatures with two secrets. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: a new secret, and the old one for a day', async () => {
  const merchant = await createMerchant(app);
  const { id, secret } = await createWebhook(app, merchant);
  const { status, body } = await call<{ secret: string; previous_secret_expires_at: number }>(
    app,
    'POST',
    `/webhooks/${id}/secret`,
    undefined,
    merchant,
  );
  expect(status).toBe(200);
  expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(body.secret).not.toBe(secret);
  const inSeconds = body.previous_secret_expires_at - Date.now() / 1000;
  expect(Math.abs(inSeconds - 86_400)).toBeLessThan(60);
  const shown = await call(app, 'GET', `/webhooks/${id}`, undefined, merchant);
  expect(shown.body).toMatchObject({ previous_secret_expires_at: body.previous_secret_expires_at });
  expect(shown.body).not.toHaveProperty('secret');
  const audit = await call(app, 'GET', '/audit?action=webhook.replace_secret', undefined, merchant);
  expect(audit.body).toMatchObject({ total: 1, collection: [{ object_id: String(id) }] });
});

test('404 webhook_not_found: another merchant’s', async () => {
  const { id } = await createWebhook(app, await createMerchant(app));
  const reply = await call(app, 'POST', `/webhooks/${id}/secret`, undefined, await createMerchant(app));
  expect(reply).toMatchObject({ status: 404, body: { error: 'webhook_not_found' } });
});
