import { call } from '../support/client';
import {
  cards,
  createConsumer,
  createFee,
  createShop,
  reaches,
  subscribe,
  type Person,
  type Shop,
} from '../support/factories';
import { giveTrial } from '../support/scenarios';
import { createPayShop, pay, paid, refund, settles } from '../support/payments';
import { isErased, isForgotten, requestErasure } from '../support/privacy';
import { createSchedule, describeSchedule, scheduleIdOf } from '../support/reportSchedules';
import { startApp, type TestApp } from '../support/startApp';
import { sweepAll } from '../support/sweeps';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { startOwnTemporal, type OwnTemporal } from '../support/temporalServer';
import { catchesUp, passDays } from '../support/testClock';
import { until } from '../support/until';
import { queryBooks } from '../support/providerBooks';

/**
 * Temporal's store is lost while subscriptions are active and charges are in progress. A sweep starts every run
 * again from its row. The books equal those of a merchant without the loss.
 */

let app: TestApp;
let server: OwnTemporal;
let temporal: TemporalClient;

beforeAll(async () => {
  server = await startOwnTemporal();
  app = await startApp({ TEMPORAL_ADDRESS: server.address });
  temporal = await connectTemporal();
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
  await server.stop();
});

interface Tenant {
  shop: Shop;
  /** By the state before the loss. */
  subscriptions: Record<'past due' | 'active' | 'trialing' | 'canceled' | 'asked', { consumer: Person; id: string }>;
  gift: string;
  refunded: string;
  erased: Person;
  reportId: string;
  storePurchase: string;
}

/** Creates five subscriptions in different states. Then, without a worker, a gift, a refund and an erasure. */
async function createTenant(): Promise<Tenant> {
  const worker = await app.startWorker();
  const shop = await createShop(app);
  const begin = async (card: string, state: 'active' | 'trialing' | 'incomplete', of = shop) => {
    const consumer = await createConsumer(app, shop.merchant);
    const { body } = await subscribe(app, { ...of, consumer }, card);
    await reaches(app, consumer, body.subscription_id, state);
    return { consumer, id: body.subscription_id };
  };
  const late = await begin(cards.declinedAtRenewal, 'active');
  await passDays(app, shop.merchant, 32);
  await reaches(app, late.consumer, late.id, 'past_due');
  const trialFee = await createFee(app, shop.merchant, shop.item.id);
  await giveTrial(app, trialFee.id, [7, 'day']);
  const canceled = await begin(cards.success, 'active');
  await call(app, 'DELETE', `/subscriptions/${canceled.id}`, {}, canceled.consumer);
  const asked = await begin(cards.needsAuthentication, 'incomplete');
  await until(async () => (await statusesOf(asked.id)).includes('requires_action'));
  const subscriptions = {
    'past due': late,
    active: await begin(cards.success, 'active'),
    trialing: await begin(cards.success, 'trialing', { ...shop, fee: trialFee }),
    canceled,
    asked,
  };
  const payShop = { ...(await createPayShop(app)) };
  const refunded = await paid(app, payShop);
  await until(async () => (await app.pool.query('SELECT 1 FROM outbox')).rows.length === 0);
  await worker.stop();

  const gift = (await pay(app, payShop, cards.success, { is_gift: true, receiver_email: 'bo@example.org' })).body;
  await refund(app, payShop.merchant, refunded, { revoke_access: true });
  const erased = await createConsumer(app, shop.merchant);
  await requestErasure(app, erased);
  const report = await createSchedule(app, shop.merchant);
  const storePurchase = await insertStorePurchase(shop);
  await until(async () => (await app.pool.query('SELECT 1 FROM outbox')).rows.length === 0);
  const reportId = await scheduleIdOf(app, report.body.id);
  return { shop, subscriptions, gift: gift.transaction, refunded, erased, reportId, storePurchase };
}

async function statusesOf(id: string): Promise<string[]> {
  const text = 'SELECT c.status FROM charges c JOIN subscriptions s ON s.id = c.subscription_id WHERE s.token = $1';
  return (await app.pool.query<{ status: string }>(text, [id])).rows.map(({ status }) => status);
}

/** Writes a store purchase as a claim does. The service asks its store from time to time. */
async function insertStorePurchase({ merchant, consumer, item, fee }: Shop): Promise<string> {
  const { rows } = await app.pool.query<{ token: string }>(
    `INSERT INTO store_purchases (token, merchant_id, account_id, item_id, access_fee_id, store, environment, original_id,
       transaction_id, product_id, kind, state, is_trial, auto_renew, purchased_at, as_of, counts_money, next_look_at,
       access_source_id)
     SELECT 'X-' || gen_random_uuid(), $1, $2, $3, $4, 'roku', 'production', gen_random_uuid(), gen_random_uuid(), 'monthly',
       'subscription', 'active', false, true, now(), now(), true, now() + interval '1 day', nextval('access_source_ids')
     RETURNING token`,
    [merchant.id, consumer.id, item.id, fee.id],
  );
  return rows[0]?.token ?? '';
}

/** Lets 95 days pass. */
async function liveOn({ shop, subscriptions, gift, refunded, erased }: Tenant): Promise<void> {
  const time = await passDays(app, shop.merchant, 95);
  await settles(app, gift, 'paid');
  await until(async () => (await refundOf(refunded)) === 'refunded');
  await isErased(app, erased.id);
  await isForgotten(app, erased.id);
  const { asked, ...others } = subscriptions;
  await reaches(app, asked.consumer, asked.id, 'incomplete_expired');
  for (const { id } of Object.values(others)) await catchesUp(temporal.client, id, time);
}

async function refundOf(token: string): Promise<string | undefined> {
  const text = `SELECT r.state FROM refunds r JOIN charges c ON c.id = r.charge_id JOIN payments p ON p.id = c.payment_id
    WHERE p.token = $1`;
  return (await app.pool.query<{ state: string }>(text, [token])).rows[0]?.state;
}

/** The hours since the subscription was submitted. */
const hours = (column: string) => `round(extract(epoch FROM ${column} - s.created_at) / 3600)::int`;

const booksOfSubscription = `
  SELECT s.state, s.cycle, s.version, s.auto_renew, ${hours('s.current_period_end')} AS period_end,
    ${hours('s.ended_at')} AS ended,
    (SELECT jsonb_agg(jsonb_build_array(c.cycle, c.attempt, c.amount_minor, c.status, ${hours('c.settled_at')})
       ORDER BY c.cycle, c.attempt) FROM charges c WHERE c.subscription_id = s.id) AS charges,
    (SELECT jsonb_agg(jsonb_build_array(replace(x.idempotency_key, s.token, ''), x.amount_minor, x.status)
       ORDER BY x.idempotency_key) FROM sandbox_charges x WHERE x.idempotency_key LIKE s.token || ':%') AS provider,
    (SELECT jsonb_agg(jsonb_build_array(e.sequence, e.from_state, e.to_state, e.reason, e.mrr_delta_minor,
       ${hours('e.created_at')}) ORDER BY e.sequence) FROM subscription_events e WHERE e.subscription_id = s.id) AS steps,
    (SELECT jsonb_agg(jsonb_build_array(a.source, ${hours('a.expires_at')}, a.revoked_at IS NULL) ORDER BY a.id)
       FROM accesses a WHERE a.source = 'subscription' AND a.source_id = s.id) AS accesses,
    (SELECT jsonb_agg(m.template ORDER BY m.template, m.id) FROM mails m WHERE m.account_id = s.account_id) AS mails
  FROM subscriptions s WHERE s.token = $1`;

const booksOfPayment = `
  SELECT p.state, p.is_gift, c.amount_minor, c.status, c.refunded_minor, g.state AS gift,
    (SELECT jsonb_agg(x.status) FROM sandbox_charges x WHERE x.idempotency_key LIKE p.token || '%') AS provider,
    (SELECT jsonb_agg(jsonb_build_array(r.state, r.amount_minor)) FROM refunds r WHERE r.charge_id = c.id) AS refunds,
    (SELECT jsonb_agg(a.revoked_at IS NULL) FROM accesses a WHERE a.source = 'payment' AND a.source_id = p.id) AS accesses
  FROM payments p JOIN charges c ON c.payment_id = p.id LEFT JOIN gift_vouchers g ON g.payment_token = p.token
  WHERE p.token = $1`;

async function booksOf({ subscriptions, gift, refunded }: Tenant): Promise<Record<string, object>> {
  const books: Record<string, object> = {};
  for (const [name, { id }] of Object.entries(subscriptions))
    books[name] = (await queryBooks<object>(app.pool, booksOfSubscription, [id])).rows;
  for (const [name, token] of Object.entries({ gift, refunded }))
    books[name] = (await queryBooks<object>(app.pool, booksOfPayment, [token])).rows;
  return books;
}

test('Temporal is down for a day of the merchant: the books equal those of a merchant without the outage', async () => {
  const untouched = await createTenant();
  await passDays(app, untouched.shop.merchant, 1);
  const first = await app.startWorker();
  await liveOn(untouched);
  await first.stop();

  const tenant = await createTenant();
  await server.kill();
  await passDays(app, tenant.shop.merchant, 1);
  await server.start();
  const second = await app.startWorker();
  await liveOn(tenant);
  await second.stop();

  expect(await booksOf(tenant)).toEqual(await booksOf(untouched));
});

test('Temporal’s store is lost: after 95 days the books equal those of a merchant without the loss', async () => {
  const untouched = await createTenant();
  const worker = await app.startWorker();
  await liveOn(untouched);
  await worker.stop();

  const tenant = await createTenant();
  await server.kill();
  await server.startEmpty();
  const missing = await sweepAll();
  expect(missing).toBeGreaterThanOrEqual(Object.keys(tenant.subscriptions).length + 5);
  for (const { id } of Object.values(tenant.subscriptions))
    expect(await temporal.isRunning(`subscription-${id}`)).toBe(true);
  expect(await temporal.isRunning(`store-purchase-${tenant.storePurchase}`)).toBe(true);
  expect((await describeSchedule(temporal.client, tenant.reportId))?.spec.calendars).toHaveLength(1);
  expect(await sweepAll()).toBe(0);
  await app.startWorker();
  await liveOn(tenant);

  expect(await booksOf(tenant)).toEqual(await booksOf(untouched));
});
