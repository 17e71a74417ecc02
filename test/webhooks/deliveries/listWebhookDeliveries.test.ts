import { call } from '../../support/client';
import { createMerchant, type Person } from '../../support/factories';
import { type TestApp } from '../../support/startApp';
import {
  answering,
  createWebhook,
  listDeliveries,
  publishEvents,
  settledDeliveries,
  startReceiver,
  startWebhookApp,
  type Delivery,
  type Receiver,
} from '../../support/webhooks';

let app: TestApp;
let receiver: Receiver;
let merchant: Person;
let id: number;

beforeAll(async () => {
  app = await startWebhookApp();
  receiver = await startReceiver();
});

beforeEach(async () => {
  merchant = await createMerchant(app);
  ({ id } = await createWebhook(app, merchant, { url: receiver.url }));
});

afterAll(async () => {
  await receiver.stop();
  await app.stop();
});

const settled = (count: number) => settledDeliveries(app, merchant, id, count);

test('200: what was sent and what came of it, newest first', async () => {
  receiver.answer = answering(201, 'thank you');
  await publishEvents(merchant, ['access.granted', 'access.revoked']);
  const [second, first] = await settled(2);
  expect(first).toEqual({
    id: expect.stringMatching(/^msg_[\da-f]{32}$/) as string,
    webhook_id: id,
    event_id: 1,
    type: 'access.granted',
    state: 'delivered',
    attempts: 1,
    next_attempt_at: 0,
    response_code: 201,
    response_body: 'thank you',
    error: '',
    log: [
      {
        at: expect.any(Number) as number,
        duration_ms: expect.any(Number) as number,
        response_code: 201,
        error: null,
      },
    ],
    created_at: expect.any(Number) as number,
    settled_at: expect.any(Number) as number,
  });
  expect(second).toMatchObject({ event_id: 2, type: 'access.revoked' });
});

test('200: a kilobyte of the answer is kept', async () => {
  receiver.answer = answering(200, 'x'.repeat(100_000));
  await publishEvents(merchant, ['access.granted']);
  const [delivery] = await settled(1);
  expect(delivery?.response_body).toBe('x'.repeat(1024));
});

test('200: by page and by state', async () => {
  receiver.answer = answering(200);
  await publishEvents(merchant, ['access.granted', 'access.granted', 'access.granted']);
  await settled(3);
  const { body } = await call<{ collection: Delivery[] }>(
    app,
    'GET',
    `/webhooks/${id}/deliveries?page=2&size=2`,
    undefined,
    merchant,
  );
  expect(body).toMatchObject({ total: 3, page: 2, limit: 2, offset: 2, collection: [{ event_id: 1 }] });
  expect(await listDeliveries(app, merchant, id, 'delivered')).toHaveLength(3);
  expect(await listDeliveries(app, merchant, id, 'failed')).toEqual([]);
});

test('200: after 30 days they are forgotten', async () => {
  receiver.answer = answering(200);
  await publishEvents(merchant, ['access.granted', 'access.granted']);
  const [newer, older] = await settled(2);
  const age = `UPDATE webhook_deliveries SET created_at = now() - interval '31 days' WHERE webhook_id = $1`;
  await app.pool.query(age, [older?.id]);
  const { deleteOutdated } = await import('../../../src/privacy/retention.js');
  await deleteOutdated();
  expect((await listDeliveries(app, merchant, id)).map((delivery) => delivery.id)).toEqual([newer?.id]);
});

test('404 webhook_not_found: another merchant’s', async () => {
  const stranger = await createMerchant(app);
  expect(await call(app, 'GET', `/webhooks/${id}/deliveries`, undefined, stranger)).toMatchObject({
    status: 404,
    body: { error: 'webhook_not_found' },
  });
});
