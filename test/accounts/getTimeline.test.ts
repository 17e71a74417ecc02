import { call } from '../support/client';
import {
  cards,
  createConsumer,
  createMerchant,
  createShop,
  reaches,
  subscribe,
  type Person,
} from '../support/factories';
import { createPayShop, pay, settles } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ TEMPORAL_UI_URL: 'https://temporal.example/' });
  await app.startWorker();
});
afterAll(() => app.stop());

interface Entry {
  kind: string;
  type: string;
  summary: string;
  amount: string;
  amount_number: number | null;
  reference: string;
  reason: string;
  workflow_id: string;
  workflow_url: string;
  happened_at: number;
}

interface Timeline {
  total: number;
  collection: Entry[];
}

const timelineOf = (id: number, token: string, query = '') =>
  call<Timeline>(app, 'GET', `/v2/accounts/customers/${id}/timeline${query}`, undefined, { token });

async function subscribed() {
  const shop = await createShop(app);
  const { subscription_id: id } = (await subscribe(app, shop)).body;
  await reaches(app, shop.consumer, id, 'active');
  return { shop, id };
}

test('200: what was bought, done and opened, newest first, with the durable run of a purchase', async () => {
  const { shop, id } = await subscribed();
  const grant = { item_id: shop.item.id, consumer_id: shop.consumer.id, access_fee_id: shop.fee.id };
  await call(app, 'POST', '/items/access', grant, shop.merchant);
  const change = { id: shop.consumer.id, full_name: 'Ana P' };
  await call(app, 'PUT', '/accounts', change, shop.merchant);
  const collection = await until(async () => {
    const { body } = await timelineOf(shop.consumer.id, shop.merchant.token, '?limit=50');
    return body.collection.some(({ type }) => type === 'payment.paid') && body.collection;
  });
  const run = `subscription-${id}`;
  expect(collection).toContainEqual({
    kind: 'payment',
    type: 'payment.paid',
    summary: shop.item.title,
    reason: '',
    amount: '€9.99',
    amount_number: 9.99,
    currency_iso: 'EUR',
    reference: id,
    workflow_id: run,
    workflow_url: `https://temporal.example/namespaces/default/workflows/${encodeURIComponent(run)}`,
    happened_at: expect.any(Number) as number,
  });
  const types = collection.map(({ kind, type }) => `${kind} ${type}`);
  expect(types).toEqual(
    expect.arrayContaining([
      'session session.start',
      'subscription subscription.incomplete',
      'subscription subscription.active',
      'access access.granted',
      'audit account.update',
    ]),
  );
  const times = collection.map(({ happened_at }) => happened_at);
  expect(times).toEqual([...times].sort((one, other) => other - one));
});

test('200: a purchase and its run are there when what clients were told of it is forgotten', async () => {
  const { shop, id } = await subscribed();
  await app.pool.query(`UPDATE events SET created_at = now() - interval '8 days' WHERE merchant_id = $1`, [
    shop.merchant.id,
  ]);
  const { deleteOutdated } = await import('../../src/privacy/retention.js');
  await deleteOutdated();
  const { body } = await timelineOf(shop.consumer.id, shop.merchant.token);
  const ofPurchase = body.collection.filter(({ workflow_id: run }) => run === `subscription-${id}`);
  expect(ofPurchase.map(({ type }) => type).sort()).toEqual([
    'payment.paid',
    'subscription.active',
    'subscription.incomplete',
  ]);
});

test('200: a failed payment has its reason as a code, which a page can translate', async () => {
  const shop = await createPayShop(app);
  const { body: submitted } = await pay(app, shop, cards.insufficientFunds);
  await settles(app, submitted.transaction, 'failed');
  const { body } = await timelineOf(shop.consumer.id, shop.merchant.token);
  expect(body.collection.find(({ type }) => type === 'payment.failed')).toMatchObject({
    reason: 'insufficient_funds',
    amount: '',
    amount_number: null,
    currency_iso: '',
  });
});

test('200: a page at a time', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const { body } = await timelineOf(consumer.id, merchant.token, '?limit=1&page=2');
  expect(body).toMatchObject({ page: 2, limit: 1, offset: 1, collection: [] });
});

test("404 account_not_found: another merchant's customer, and the merchant itself", async () => {
  const [merchant, stranger] = [await createMerchant(app), await createMerchant(app)];
  const consumer = await createConsumer(app, merchant);
  for (const [id, token] of [
    [consumer.id, stranger.token],
    [merchant.id, merchant.token],
  ] as const) {
    const { status, body } = await timelineOf(id, token);
    expect({ status, body }).toMatchObject({ status: 404, body: { error: 'account_not_found' } });
  }
});

test('200: a cancellation has the words of its customer, and so has its row in the report', async () => {
  const { shop, id } = await subscribed();
  const said = { at: 'now', reason: 'I move to Lisbon' };
  await until(async () => (await call(app, 'DELETE', `/subscriptions/${id}`, said, shop.consumer)).status === 200);
  const [ending] = await until(async () => {
    const { body } = await timelineOf(shop.consumer.id, shop.merchant.token);
    const found = body.collection.filter(({ type }) => type === 'subscription.canceled');
    return found.length > 0 && found;
  });
  expect(ending).toMatchObject({ reason: said.reason, reference: id });
  const report = await call(app, 'GET', '/reporting/transitions?state=canceled', undefined, shop.merchant);
  expect(report.body).toMatchObject({ total: 1, collection: [{ to: 'canceled', reason: said.reason }] });
});

test.each([
  ['the words of an earlier cancellation are not the reason of a later one without words', '', 'canceled'],
  ['of two cancellations with words, the history has those of the later one', 'Nobody answered', 'Nobody answered'],
])('200: %s', async (_title, reason, shown) => {
  const { shop, id } = await subscribed();
  const cancel = (fields: Record<string, unknown>, caller: Person) =>
    until(async () => (await call(app, 'DELETE', `/subscriptions/${id}`, fields, caller)).status === 200);
  await cancel({ at: 'period_end', reason: 'It is too expensive' }, shop.consumer);
  await cancel({ at: 'now', ...(reason !== '' && { reason }) }, shop.merchant);
  const [ending] = await until(async () => {
    const { body } = await timelineOf(shop.consumer.id, shop.merchant.token);
    const found = body.collection.filter(({ type }) => type === 'subscription.canceled');
    return found.length > 0 && found;
  });
  expect(ending).toMatchObject({ reason: shown, reference: id });
  const report = await call(app, 'GET', '/reporting/transitions?state=canceled', undefined, shop.merchant);
  expect(report.body).toMatchObject({ total: 1, collection: [{ to: 'canceled', reason: shown }] });
});
