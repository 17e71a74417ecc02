import { call } from '../support/client';
import { createMerchant } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { createWebhook, publishEvents } from '../support/webhooks';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: gone with its log, told in the audit log; events go on without it', async () => {
  const merchant = await createMerchant(app);
  const { id } = await createWebhook(app, merchant);
  await call(app, 'POST', `/webhooks/${id}/test`, undefined, merchant);
  const { status, body } = await call(app, 'DELETE', `/webhooks/${id}`, undefined, merchant);
  expect(status).toBe(200);
  expect(body).toMatchObject({ code: 200, message: 'Webhook successfully deleted' });
  expect((await call(app, 'GET', `/webhooks/${id}`, undefined, merchant)).status).toBe(404);
  for (const table of ['webhook_deliveries', 'webhook_wakes'])
    expect((await app.pool.query(`SELECT FROM ${table} WHERE endpoint_id = $1`, [id])).rowCount).toBe(0);
  const audit = await call(app, 'GET', '/audit?action=webhook.delete', undefined, merchant);
  expect(audit.body).toMatchObject({ total: 1, collection: [{ object_id: String(id) }] });
  await publishEvents(merchant, ['access.granted']);
});

test('404 webhook_not_found: another merchant’s, which stays', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  const { id } = await createWebhook(app, other);
  expect(await call(app, 'DELETE', `/webhooks/${id}`, undefined, merchant)).toMatchObject({
    status: 404,
    body: { error: 'webhook_not_found' },
  });
  expect((await call(app, 'GET', `/webhooks/${id}`, undefined, other)).status).toBe(200);
});
