import { call } from '../support/client';
import { createMerchant, type Person } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { createWebhook, type NewWebhook } from '../support/webhooks';

/** test/workflows/webhooks.test.ts tests how a change affects pending deliveries. */

let app: TestApp;
let merchant: Person;
let webhook: NewWebhook;

beforeAll(async () => {
  app = await startApp();
});

beforeEach(async () => {
  merchant = await createMerchant(app);
  webhook = await createWebhook(app, merchant, { events: ['access.granted'], description: 'Ledger' });
});

afterAll(() => app.stop());

const update = (fields: Record<string, unknown>, id = webhook.id) =>
  call<NewWebhook>(app, 'PATCH', `/webhooks/${id}`, fields, merchant);

test('200: changes what is sent, and leaves the rest', async () => {
  const url = 'https://hooks.example.org/other';
  const { status, body } = await update({ url });
  expect(status).toBe(200);
  expect(body).toMatchObject({ url, events: ['access.granted'], format: 'standard', description: 'Ledger' });
  const changed = await update({ events: ['account.logout'], format: 'form', description: 'Books' });
  expect(changed.body).toMatchObject({ url, events: ['account.logout'], format: 'form', description: 'Books' });
  expect((await update({ 'events[]': '' })).body.events).toEqual([]);
});

test('200: off, which is said with its reason, and on again', async () => {
  const off = await update({ enabled: false });
  expect(off.body).toMatchObject({ enabled: false, disabled_reason: 'merchant' });
  expect(off.body.disabled_at).toBeGreaterThan(0);
  expect((await update({ enabled: true })).body).toMatchObject({ enabled: true, disabled_reason: '', disabled_at: 0 });
});

test('200: the secret stays', async () => {
  const sealed = async () => {
    const text = 'SELECT sealed_secret FROM webhook_endpoints WHERE id = $1';
    return (await app.pool.query<object>(text, [webhook.id])).rows;
  };
  const before = await sealed();
  await update({ enabled: false });
  expect(await sealed()).toEqual(before);
});

test('200: the audit log tells of it', async () => {
  await update({ enabled: false });
  const { body } = await call(app, 'GET', '/audit?action=webhook.update', undefined, merchant);
  expect(body).toMatchObject({ total: 1, collection: [{ object_id: String(webhook.id) }] });
});

test('422 invalid_input: an address inside, a type that there is not', async () => {
  expect((await update({ url: 'http://10.0.0.1/' })).status).toBe(422);
  expect((await update({ events: ['nothing'] })).status).toBe(422);
  expect((await update({ resume: 'later' })).status).toBe(422);
});

test('404 webhook_not_found: another merchant’s, which stays as it is', async () => {
  const other = await createMerchant(app);
  const foreign = await createWebhook(app, other);
  expect(await update({ enabled: false }, foreign.id)).toMatchObject({
    status: 404,
    body: { error: 'webhook_not_found' },
  });
  expect((await call(app, 'GET', `/webhooks/${foreign.id}`, undefined, other)).body).toMatchObject({ enabled: true });
});
