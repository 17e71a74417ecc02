import { call } from '../support/client';
import { createConsumer, createMerchant, createShop, password, reaches, subscribe } from '../support/factories';
import { type TestApp } from '../support/startApp';
import { until } from '../support/until';
import { createWebhook, eventsOf, readForm, startReceiver, startWebhookApp, type Receiver } from '../support/webhooks';

/** Events that go only to the back ends of merchants, and the form that older back ends read. */

let app: TestApp;
let receiver: Receiver;

beforeAll(async () => (app = await startWebhookApp()));
beforeEach(async () => (receiver = await startReceiver()));
afterEach(() => receiver.stop());
afterAll(() => app.stop());

const types = () => eventsOf(receiver).map(([, type]) => type);
const hears = (type: string) => until(() => types().includes(type));
const toldOf = (type: string) => {
  const found = receiver.received.map(({ body }) => JSON.parse(body) as { type: string; resource: object });
  return found.find((message) => message.type === type)?.resource;
};

const customers = ['customer.registered', 'customer.updated', 'customer.password.updated'];

test('customer.registered, customer.updated, customer.password.updated: a customer registers and changes its data', async () => {
  const merchant = await createMerchant(app);
  await createWebhook(app, merchant, { url: receiver.url, events: customers });
  const consumer = await createConsumer(app, merchant);
  await hears('customer.registered');
  expect(toldOf('customer.registered')).toEqual({
    id: consumer.id,
    uuid: consumer.uuid,
    merchant_id: merchant.id,
    merchant_uuid: merchant.uuid,
    username: consumer.email,
    email: consumer.email,
    full_name: expect.any(String) as string,
    referrer: '',
    date_of_birth: 0,
    active: true,
    completed: false,
    created_at: expect.any(Number) as number,
    updated_at: expect.any(Number) as number,
  });
  await call(app, 'PUT', '/accounts', { full_name: 'Ana Maria' }, consumer);
  await hears('customer.updated');
  expect(toldOf('customer.updated')).toMatchObject({ id: consumer.id, full_name: 'Ana Maria' });
  const next = 'a-longer-horse-battery-9';
  const change = { old_password: password, password: next, password_confirmation: next };
  expect((await call(app, 'POST', '/accounts/change-password', change, consumer)).status).toBe(200);
  await hears('customer.password.updated');
  expect(toldOf('customer.password.updated')).toEqual({
    merchant_id: merchant.id,
    customer_id: consumer.id,
    email: consumer.email,
    timestamp: expect.any(Number) as number,
  });
  expect(types()).toEqual(customers);
});

test('customer.registered: a merchant registers a customer', async () => {
  const merchant = await createMerchant(app);
  await createWebhook(app, merchant, { url: receiver.url, events: customers });
  await call(app, 'POST', '/v2/accounts/customers', { email: 'ben@example.org', full_name: 'Ben' }, merchant);
  await hears('customer.registered');
  expect(toldOf('customer.registered')).toMatchObject({ email: 'ben@example.org', full_name: 'Ben' });
});

test('200: the channel and the history of customers and merchants do not have them', async () => {
  const merchant = await createMerchant(app);
  await createWebhook(app, merchant, { url: receiver.url });
  const consumer = await createConsumer(app, merchant);
  await hears('customer.registered');
  for (const who of [merchant, consumer])
    expect((await call(app, 'GET', '/notifications/history', undefined, who)).body).toEqual({ collection: [] });
});

test('201: without a webhook no event is stored', async () => {
  const merchant = await createMerchant(app);
  await createConsumer(app, merchant);
  const { rows } = await app.pool.query('SELECT last_sequence FROM channels WHERE merchant_id = $1', [merchant.id]);
  expect(rows).toEqual([{ last_sequence: 0 }]);
});

test('201: a webhook can subscribe to every type that older back ends name', async () => {
  const merchant = await createMerchant(app);
  const named = [
    ...customers,
    ...['asset.access.granted', 'asset.access.revoked', 'subscribe.pending', 'subscribe.cancelled.failed'],
    ...['external.subscribe.failed', 'external.subscribe.cancel.failed', 'external.payment.refund.failed'],
    ...['external.subscribe.update.success', 'external.subscribe.update.failed'],
  ];
  const { events } = await createWebhook(app, merchant, { url: receiver.url, events: named });
  expect(events).toEqual(
    expect.arrayContaining([...customers, 'access.granted', 'access.revoked', 'subscribe.pending']),
  );
});

test('asset.access.granted: the row of the purchase history, without the content of the item', async () => {
  const shop = await createShop(app);
  const fields = { url: receiver.url, format: 'form', events: ['asset.access.granted'] };
  await createWebhook(app, shop.merchant, fields);
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  await until(() => receiver.received.length === 1);
  const [received] = receiver.received;
  const form = received && readForm(received);
  expect(form).toMatchObject({
    type: 'asset.access.granted',
    resource: {
      type: 'purchased',
      item_id: String(shop.item.id),
      customer_id: String(shop.consumer.id),
      consumer_id: String(shop.consumer.id),
      consumer_email: shop.consumer.email,
      purchased_amount: '9.99',
      purchased_currency: 'EUR',
      parent_resource_id: body.subscription_id,
      voucher_code: '',
      extended: 'false',
      date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/) as string,
      original_expires_at: expect.stringMatching(/^\d{10}$/) as string,
      item: { id: String(shop.item.id), title: 'Cup final' },
    },
  });
  expect(received?.body).not.toContain('The%20final.');
});

test('access.granted: no message carries the content of an item', async () => {
  const shop = await createShop(app);
  await createWebhook(app, shop.merchant, { url: receiver.url, events: ['access.granted'] });
  await subscribe(app, shop);
  await until(() => receiver.received.length === 1);
  expect(receiver.received[0]?.body).not.toContain('The final.');
});
