import { call } from '../support/client';
import { createMerchant, createShop, reaches, subscribe, type Person } from '../support/factories';
import { receives } from '../support/mailbox';
import { type TestApp } from '../support/startApp';
import { until } from '../support/until';
import {
  answering,
  createWebhook,
  eventsOf,
  isSigned,
  isSignedForm,
  listDeliveries,
  publishEvents,
  readForm,
  settledDeliveries,
  startReceiver,
  startWebhookApp,
  type Receiver,
} from '../support/webhooks';

/** Deliveries to merchants' servers, which are real servers on loopback. */

let app: TestApp;
let receiver: Receiver;

beforeAll(async () => (app = await startWebhookApp()));
beforeEach(async () => (receiver = await startReceiver()));
afterEach(() => receiver.stop());
afterAll(() => app.stop());

const hears = (count: number) => until(() => receiver.received.length >= count);

test('subscribe.success: a purchase reaches the merchant’s server, signed, in order', async () => {
  const shop = await createShop(app);
  const webhook = await createWebhook(app, shop.merchant, { url: receiver.url });
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  await hears(2);
  expect(eventsOf(receiver)).toEqual([
    [1, 'access.granted'],
    [2, 'subscribe.success'],
  ]);
  const [, paid] = receiver.received;
  expect(JSON.parse(paid?.body ?? '')).toEqual({
    id: 2,
    type: 'subscribe.success',
    timestamp: expect.any(Number) as number,
    merchant_uuid: shop.merchant.uuid,
    account_uuid: shop.consumer.uuid,
    resource: expect.objectContaining({ amount: '9.99', transaction: body.subscription_id }) as object,
  });
  for (const each of receiver.received) {
    expect(await isSigned(each, webhook.secret)).toBe(true);
    expect(await isSigned({ ...each, body: `${each.body} ` }, webhook.secret)).toBe(false);
    expect(each.headers).toMatchObject({ 'user-agent': 'Paywall-Webhooks/1', 'content-type': 'application/json' });
  }
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
});

test('a filter: only the types that were asked for are sent', async () => {
  const merchant = await createMerchant(app);
  const fields = { url: receiver.url, events: ['account.logout', 'access.revoked'] };
  await createWebhook(app, merchant, fields);
  await publishEvents(merchant, ['access.granted', 'access.revoked', 'access.granted', 'account.logout']);
  await hears(2);
  expect(eventsOf(receiver)).toEqual([
    [2, 'access.revoked'],
    [4, 'account.logout'],
  ]);
});

test('the form format: what older back ends read, signed as they check it', async () => {
  const shop = await createShop(app);
  const webhook = await createWebhook(app, shop.merchant, { url: receiver.url, format: 'form' });
  const { body } = await subscribe(app, shop);
  await hears(2);
  const [granted, paid] = receiver.received.map(readForm);
  for (const each of receiver.received) {
    expect(isSignedForm(each, webhook.secret)).toBe(true);
    expect(each.headers['content-type']).toBe('application/x-www-form-urlencoded');
  }
  expect(granted).toMatchObject({
    type: 'asset.access.granted',
    resource: { consumer_id: String(shop.consumer.id), item: { id: String(shop.item.id) } },
  });
  expect(paid).toMatchObject({
    id: expect.stringMatching(/^WHE-[\da-f]{32}$/) as string,
    created: expect.stringMatching(/^\d{10}$/) as string,
    type: 'subscribe.success',
    version: '2.4.2',
    resource: { amount: '9.99', transaction: body.subscription_id, consumer_id: String(shop.consumer.id) },
  });
});

describe('a secret that is replaced', () => {
  test('the old one signs beside the new one, until it ends', async () => {
    const merchant = await createMerchant(app);
    const { id, secret: old } = await createWebhook(app, merchant, { url: receiver.url });
    const { secret } = await replaceSecret(merchant, id);
    await publishEvents(merchant, ['access.granted']);
    await hears(1);
    const [both] = receiver.received;
    expect(both && [await isSigned(both, old), await isSigned(both, secret)]).toEqual([true, true]);

    await endPreviousSecret(id);
    await publishEvents(merchant, ['access.granted']);
    await hears(2);
    const [, alone] = receiver.received;
    expect(alone && [await isSigned(alone, old), await isSigned(alone, secret)]).toEqual([false, true]);
  });

  test('in the form format, with its one place for a signature, the old one signs until it ends', async () => {
    const merchant = await createMerchant(app);
    const { id, secret: old } = await createWebhook(app, merchant, { url: receiver.url, format: 'form' });
    const { secret } = await replaceSecret(merchant, id);
    await publishEvents(merchant, ['access.granted']);
    await hears(1);
    await endPreviousSecret(id);
    await publishEvents(merchant, ['access.granted']);
    await hears(2);
    const [before, after] = receiver.received;
    expect(before && isSignedForm(before, old)).toBe(true);
    expect(after && isSignedForm(after, secret)).toBe(true);
  });

  const replaceSecret = async (merchant: Person, id: number) =>
    (await call<{ secret: string }>(app, 'POST', `/webhooks/${id}/secret`, undefined, merchant)).body;

  const endPreviousSecret = (id: number) =>
    app.pool.query('UPDATE webhook_endpoints SET previous_secret_ends_at = now() WHERE id = $1', [id]);
});

describe('what is not taken', () => {
  test('is tried again under the same id, and what follows waits for it', async () => {
    const merchant = await createMerchant(app);
    const { id, secret } = await createWebhook(app, merchant, { url: receiver.url });
    receiver.answer = answering(500, 'out of order');
    await publishEvents(merchant, ['access.granted', 'access.revoked', 'account.logout']);
    await hears(1);
    const [first] = await until(async () => {
      const deliveries = await listDeliveries(app, merchant, id);
      const tried = deliveries.filter(({ attempts }) => attempts === 1);
      return tried.length > 0 && tried;
    });
    expect(first).toMatchObject({
      event_id: 1,
      state: 'pending',
      response_code: 500,
      response_body: 'out of order',
      log: [{ response_code: 500, error: null }],
    });
    const inSeconds = (first?.next_attempt_at ?? 0) - Date.now() / 1000;
    expect(inSeconds).toBeLessThanOrEqual(5);

    receiver.answer = answering(200);
    await hears(4);
    expect(eventsOf(receiver).map(([event]) => event)).toEqual([1, 1, 2, 3]);
    expect(receiver.received[0]?.headers['webhook-id']).toBe(first?.id);
    expect(receiver.received[1]?.headers['webhook-id']).toBe(first?.id);
    expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body);
    for (const each of receiver.received) expect(await isSigned(each, secret)).toBe(true);
    const settled = await settledDeliveries(app, merchant, id, 3);
    expect(settled.map(({ state, attempts }) => [state, attempts])).toEqual([
      ['delivered', 1],
      ['delivered', 1],
      ['delivered', 2],
    ]);
  });

  test('holds up nobody else: another webhook of the merchant goes on', async () => {
    const merchant = await createMerchant(app);
    const other = await startReceiver();
    receiver.answer = answering(503);
    await createWebhook(app, merchant, { url: receiver.url });
    await createWebhook(app, merchant, { url: other.url });
    await publishEvents(merchant, ['access.granted', 'access.revoked']);
    await until(() => other.received.length === 2 && receiver.received.length > 0);
    expect(eventsOf(other).map(([event]) => event)).toEqual([1, 2]);
    expect(new Set(eventsOf(receiver).map(([event]) => event))).toEqual(new Set([1]));
    await other.stop();
  });

  test('a redirect is an answer, and is not followed', async () => {
    const merchant = await createMerchant(app);
    const target = await startReceiver();
    receiver.answer = (response) => void response.writeHead(302, { Location: target.url }).end();
    const { id } = await createWebhook(app, merchant, { url: receiver.url });
    await call(app, 'POST', `/webhooks/${id}/test`, undefined, merchant);
    const [delivery] = await settledDeliveries(app, merchant, id, 1);
    expect(delivery).toMatchObject({ state: 'failed', response_code: 302 });
    expect(target.received).toEqual([]);
    await target.stop();
  });

  test('410: the webhook is turned off at once, with a mail and an entry in the audit log', async () => {
    const merchant = await createMerchant(app);
    receiver.answer = answering(410);
    const { id } = await createWebhook(app, merchant, { url: receiver.url });
    await publishEvents(merchant, ['access.granted', 'access.revoked']);
    const [delivery, ...others] = await until(async () => {
      const failed = await listDeliveries(app, merchant, id, 'failed');
      return failed.length > 0 && failed;
    });
    expect(others).toEqual([]);
    expect(delivery).toMatchObject({ state: 'failed', response_code: 410, attempts: 1 });
    const { body } = await call(app, 'GET', `/webhooks/${id}`, undefined, merchant);
    expect(body).toMatchObject({ enabled: false, disabled_reason: 'gone' });
    expect(receiver.received).toHaveLength(1);
    const mail = await receives(app, merchant, merchant.email, 'webhook_disabled');
    expect(mail.text).toContain(receiver.url);
    expect(mail.text).toContain('410');
    const audit = await call<{ collection: unknown[] }>(
      app,
      'GET',
      '/audit?action=webhook.disable',
      undefined,
      merchant,
    );
    expect(audit.body.collection).toMatchObject([{ object_type: 'webhook', object_id: String(id) }]);
  });
});
