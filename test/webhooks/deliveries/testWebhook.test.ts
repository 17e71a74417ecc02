import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { type TestApp } from '../../support/startApp';
import { until } from '../../support/until';
import {
  answering,
  createWebhook,
  isSigned,
  listDeliveries,
  startReceiver,
  startWebhookApp,
  type Delivery,
  type Receiver,
} from '../../support/webhooks';

let app: TestApp;
let receiver: Receiver;

beforeAll(async () => (app = await startWebhookApp()));
beforeEach(async () => (receiver = await startReceiver()));
afterEach(() => receiver.stop());
afterAll(() => app.stop());

test('202: a test event, signed as any other; its outcome is in the log', async () => {
  const merchant = await createMerchant(app);
  const { id, secret } = await createWebhook(app, merchant, { url: receiver.url, events: ['access.granted'] });
  const { status, body } = await call<Delivery>(app, 'POST', `/webhooks/${id}/test`, undefined, merchant);
  expect(status).toBe(202);
  expect(body).toMatchObject({ webhook_id: id, event_id: 0, type: 'webhook.test', state: 'pending', attempts: 0 });
  await until(async () => (await listDeliveries(app, merchant, id, 'delivered')).length === 1);
  const [received] = receiver.received;
  expect(received?.headers['webhook-id']).toBe(body.id);
  expect(received && (await isSigned(received, secret))).toBe(true);
  expect(JSON.parse(received?.body ?? '')).toEqual({
    id: 0,
    type: 'webhook.test',
    timestamp: body.created_at,
    merchant_uuid: merchant.uuid,
    account_uuid: merchant.uuid,
    resource: { webhook_id: id },
  });
});

test('202: sent once, also when it fails and while the webhook is off', async () => {
  const merchant = await createMerchant(app);
  receiver.answer = answering(500, 'no');
  const { id } = await createWebhook(app, merchant, { url: receiver.url, enabled: false });
  await call(app, 'POST', `/webhooks/${id}/test`, undefined, merchant);
  const [failed] = await until(async () => {
    const found = await listDeliveries(app, merchant, id, 'failed');
    return found.length === 1 && found;
  });
  expect(failed).toMatchObject({ attempts: 1, response_code: 500, response_body: 'no', next_attempt_at: 0 });
  expect(receiver.received).toHaveLength(1);
});

test('404 webhook_not_found: another merchant’s', async () => {
  const { id } = await createWebhook(app, await createMerchant(app), { url: receiver.url });
  expect(await call(app, 'POST', `/webhooks/${id}/test`, undefined, await createMerchant(app))).toMatchObject({
    status: 404,
    body: { error: 'webhook_not_found' },
  });
});
