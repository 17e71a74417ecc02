import { check, takeAway } from '../support/access';
import { findFaults } from '../support/books';
import { call } from '../support/client';
import { cards, createShop, reaches, subscribe, type Shop, type SubscriptionRow } from '../support/factories';
import { takenFor } from '../support/ledger';
import { subscribeWithAuthentication, type Authentication } from '../support/payer';
import { createPayShop, pay, refund, settles } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { connectTemporal } from '../support/temporalClient';
import { startOwnTemporal, type OwnTemporal } from '../support/temporalServer';
import { until } from '../support/until';

/**
 * Temporal's store is lost. An empty server without our search attributes comes back under the same
 * address while the API and the worker continue. Later requests and messages still take effect.
 */

let app: TestApp;
let temporal: OwnTemporal;
let kept: Subscriber[];
let asked: { shop: Shop; authentication: Authentication };
let abandoned: { shop: Shop; token: string };

interface Subscriber {
  shop: Shop;
  id: string;
}

beforeAll(async () => {
  temporal = await startOwnTemporal();
  app = await startApp({ TEMPORAL_ADDRESS: temporal.address });
  await app.startWorker();
  kept = await Promise.all(Array.from({ length: 6 }, () => createSubscriber()));
  const shop = await createShop(app);
  asked = { shop, authentication: await subscribeWithAuthentication(app, shop) };
  const payShop = await createPayShop(app);
  abandoned = { shop: payShop, token: (await pay(app, payShop, cards.needsAuthentication)).body.transaction };
  await until(async () => (await waiting(abandoned.token)) === 'requires_action');
  await until(async () => (await app.pool.query('SELECT 1 FROM outbox')).rows.length === 0);
  await temporal.kill();
  await temporal.startEmpty();
  await removeSearchAttributes();
});

afterAll(async () => {
  await app.stop();
  await temporal.stop();
});

async function createSubscriber(): Promise<Subscriber> {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  return { shop, id: body.subscription_id };
}

function subscriber(index: number): Subscriber {
  const found = kept[index];
  if (!found) throw new Error(`there is no subscriber ${index}`);
  return found;
}

async function waiting(token: string): Promise<string | undefined> {
  const text = 'SELECT c.status FROM charges c JOIN payments p ON p.id = c.payment_id WHERE p.token = $1';
  return (await app.pool.query<{ status: string }>(text, [token])).rows[0]?.status;
}

/** An empty server. Its namespace has no search attributes yet. */
async function removeSearchAttributes(): Promise<void> {
  const { client, close } = await connectTemporal();
  const { operatorService } = client.connection;
  const namespace = 'default';
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  const searchAttributes = Object.keys(customAttributes).filter((name) => name.startsWith('Paywall'));
  await operatorService.removeSearchAttributes({ namespace, searchAttributes });
  await close();
}

/** One charge, for the first period, and one of each event. */
const canceledOnce = { charged: 1, events: ['access.granted', 'subscribe.success', 'subscribe.cancelled.success'] };

const rowOf = async ({ shop, id }: Subscriber) =>
  (await call<SubscriptionRow>(app, 'GET', `/subscriptions/${id}`, undefined, shop.consumer)).body;

test('202: a purchase succeeds, and the missing search attributes are registered again', async () => {
  const shop = await createShop(app);
  const { status, body } = await subscribe(app, shop);
  expect(status).toBe(202);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  expect(await findFaults(app.pool, body.subscription_id)).toEqual([]);
});

test('200: a cancellation starts the run again and takes effect', async () => {
  const { shop, id } = subscriber(0);
  const { status } = await call(app, 'DELETE', `/subscriptions/${id}`, {}, shop.consumer);
  expect(status).toBe(200);
  const row = await until(async () => {
    const found = await rowOf({ shop, id });
    return found.cancel_at_period_end && found;
  });
  expect(row.status).toBe('active');
  expect(await findFaults(app.pool, id, canceledOnce)).toEqual([]);
});

test('202: a customer ends a subscription at once and buys again', async () => {
  const { shop, id } = subscriber(1);
  await call(app, 'DELETE', `/subscriptions/${id}`, { at: 'now' }, shop.consumer);
  await reaches(app, shop.consumer, id, 'canceled');
  const again = await subscribe(app, shop);
  expect(again.status).toBe(202);
  await reaches(app, shop.consumer, again.body.subscription_id, 'active');
  expect((await takenFor(app, id)).length).toBe(1);
});

test('payment.refund.success: a refund revokes access', async () => {
  const { shop, id } = subscriber(2);
  const text = `SELECT c.trx_token AS token FROM charges c JOIN subscriptions s ON s.id = c.subscription_id WHERE s.token = $1`;
  const { rows } = await app.pool.query<{ token: string }>(text, [id]);
  await refund(app, shop.merchant, rows[0]?.token ?? '', { revoke_access: true });
  await reaches(app, shop.consumer, id, 'revoked');
  expect((await check(app, shop.item.id, shop.consumer)).status).toBe(402);
});

test('200: a merchant who revokes access ends the subscription', async () => {
  const { shop, id } = subscriber(3);
  const { id: accessId } = (await check(app, shop.item.id, shop.consumer)).body;
  expect((await takeAway(app, shop, accessId)).status).toBe(200);
  await reaches(app, shop.consumer, id, 'canceled');
});

test('200: an authentication that is approved afterwards opens the subscription, with one charge', async () => {
  expect((await asked.authentication.answer('approved')).status).toBe(200);
  await reaches(app, asked.shop.consumer, asked.authentication.id, 'active');
  expect(await findFaults(app.pool, asked.authentication.id)).toEqual([]);
});

test('200: another card replaces a payment that waits for its payer', async () => {
  // A payment that is repeated within seconds is the same payment.
  const earlier = `UPDATE payments SET created_at = now() - interval '1 minute' WHERE token = $1`;
  await app.pool.query(earlier, [abandoned.token]);
  const { body } = await pay(app, abandoned.shop);
  expect(body.transaction).not.toBe(abandoned.token);
  await settles(app, body.transaction, 'paid');
  await settles(app, abandoned.token, 'failed');
});

test('200: a cancellation that was accepted while Temporal was down survives the loss', async () => {
  const one = subscriber(4);
  await temporal.kill();
  const { body } = await call(app, 'DELETE', `/subscriptions/${one.id}`, {}, one.shop.consumer);
  expect(body).toMatchObject({ status: 'pending' });
  await temporal.startEmpty();
  await until(async () => (await rowOf(one)).cancel_at_period_end);
  expect(await findFaults(app.pool, one.id, canceledOnce)).toEqual([]);
});

test('409 subscription_state: the subscription has ended by its row as well', async () => {
  const { shop, id } = subscriber(1);
  const { status, body } = await call(app, 'POST', `/subscriptions/${id}/pause`, {}, shop.consumer);
  expect([status, body]).toMatchObject([409, { error: 'subscription_state', explain: 'The subscription has ended.' }]);
});
