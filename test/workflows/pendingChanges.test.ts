import { call } from '../support/client';
import { cards, createShop, reaches, subscribe, type Shop, type SubscriptionRow } from '../support/factories';
import { loseRun } from '../support/lostRuns';
import { canceledPlan, pressButton } from '../support/mailLinks';
import { storeChange } from '../support/storedChanges';
import { startApp, type TestApp } from '../support/startApp';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { isIdle, passDays } from '../support/testClock';
import { until } from '../support/until';

/** Changes that are requested while no worker runs. */

let app: TestApp;
let temporal: TemporalClient;

beforeAll(async () => {
  app = await startApp();
  temporal = await connectTemporal();
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
});

interface Subscriber {
  shop: Shop;
  id: string;
}

const cancel = ({ shop, id }: Subscriber) => call(app, 'DELETE', `/subscriptions/${id}`, {}, shop.consumer);
const resume = ({ shop, id }: Subscriber) => call(app, 'POST', `/subscriptions/${id}/resume`, {}, shop.consumer);

async function createSubscriber(): Promise<Subscriber> {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop);
  const one = { shop, id: body.subscription_id };
  await reaches(app, shop.consumer, one.id, 'active');
  return one;
}

/** A subscription that is canceled at the end of its period. */
async function createCanceled(): Promise<Subscriber> {
  const one = await createSubscriber();
  await cancel(one);
  await until(async () => (await rowOf(one)).cancel_at_period_end);
  return one;
}

const rowOf = async ({ shop, id }: Subscriber) =>
  (await call<SubscriptionRow>(app, 'GET', `/subscriptions/${id}`, undefined, shop.consumer)).body;

async function reasonsOf({ id }: Subscriber): Promise<string[]> {
  const text = `SELECT e.reason FROM subscription_events e JOIN subscriptions s ON s.id = e.subscription_id
    WHERE s.token = $1 ORDER BY e.sequence`;
  return (await app.pool.query<{ reason: string }>(text, [id])).rows.map(({ reason }) => reason);
}

/** Temporal's store is lost after it has received the message. A new run then takes a last step for the given reason. */
async function loseStore(one: Subscriber, reason: string): Promise<void> {
  await until(async () => !(await hasMessages(one)));
  await loseRun({ app, temporal }, one);
  const worker = await app.startWorker();
  await until(async () => (await reasonsOf(one)).at(-1) === reason);
  await worker.stop();
}

test.each(['runs', 'is lost'])(
  '200: a cancellation after a pending resumption is the last word; the run %s',
  async (state) => {
    const worker = await app.startWorker();
    const one = await createCanceled();
    await worker.stop();
    if (state === 'is lost') await temporal.client.workflow.getHandle(`subscription-${one.id}`).terminate();

    expect([(await resume(one)).status, (await cancel(one)).status]).toEqual([202, 200]);
    const next = await app.startWorker();
    await until(async () => (await reasonsOf(one)).includes('renewal turned on again'));
    await until(async () => !(await hasMessages(one)));
    await until(() => isIdle(temporal.client.workflow.getHandle(`subscription-${one.id}`)));
    await next.stop();
    expect((await reasonsOf(one)).at(-1)).toBe('canceled at the period’s end');
  },
);

test.each(['period_end', 'now'])(
  '200: a cancellation (%s) that Temporal has received survives the loss of its store',
  async (at) => {
    const worker = await app.startWorker();
    const one = await createSubscriber();
    await worker.stop();

    const { status } = await call(
      app,
      'DELETE',
      `/subscriptions/${one.id}`,
      { at, reason: 'moved' },
      one.shop.consumer,
    );
    expect(status).toBe(200);
    await loseStore(one, at === 'now' ? 'canceled' : 'canceled at the period’s end');
    const text = 'SELECT cancel_reason FROM subscriptions WHERE token = $1';
    expect((await app.pool.query(text, [one.id])).rows).toEqual([{ cancel_reason: 'moved' }]);
  },
);

test('200: a cancellation is the last word after a stored resumption that is lost with the store of Temporal', async () => {
  const worker = await app.startWorker();
  const one = await createCanceled();
  await worker.stop();

  expect((await resume(one)).status).toBe(202);
  await until(async () => !(await hasMessages(one)));
  await temporal.client.workflow.getHandle(`subscription-${one.id}`).terminate();
  expect((await cancel(one)).status).toBe(200);
  expect(await storedOf(one)).toEqual({ kinds: ['resume', 'cancel'], isDue: true });

  const next = await app.startWorker();
  await until(async () => (await storedOf(one)).kinds.length === 0);
  await next.stop();
  expect((await reasonsOf(one)).slice(-2)).toEqual(['renewal turned on again', 'canceled at the period’s end']);
  expect(await storedOf(one)).toEqual({ kinds: [], isDue: false });
});

test('200: a revocation of access ends the subscription after the loss of the store of Temporal', async () => {
  const worker = await app.startWorker();
  const one = await createSubscriber();
  await worker.stop();

  const access = await accessOf(one);
  expect((await call(app, 'DELETE', `/items/access/${access}`, undefined, one.shop.merchant)).status).toBe(200);
  expect(await storedOf(one)).toEqual({ kinds: ['cancel'], isDue: true });
  await loseStore(one, 'access_revoked');
});

test('303: a plan that its owner keeps by a mailed link renews after the loss of the store of Temporal', async () => {
  const worker = await app.startWorker();
  const one = await canceledPlan(app);
  await worker.stop();

  expect((await pressButton(app, one.path)).status).toBe(303);
  expect(await storedOf(one)).toEqual({ kinds: ['resume'], isDue: true });
  await loseStore(one, 'renewal turned on again');
});

test.each([
  ['made', createCanceled],
  ['refused', createSubscriber],
])(
  '200: a resumption that was %s and whose signal comes again undoes no later cancellation',
  async (_outcome, create) => {
    const worker = await app.startWorker();
    const one = await create();
    const nowMs = Date.now();
    await storeChange(one.id, { kind: 'resume' }, nowMs);
    await until(async () => (await storedOf(one)).kinds.length === 0);
    await cancel(one);
    await until(async () => (await rowOf(one)).cancel_at_period_end);
    const before = await reasonsOf(one);

    await loseRun({ app, temporal }, one);
    const run = temporal.client.workflow.getHandle(`subscription-${one.id}`);
    await run.signal('changeRequested', { id: `resume:${nowMs}`, kind: 'resume', aheadMs: 0, atMs: nowMs });
    await until(() => isIdle(run));
    await worker.stop();
    expect(await reasonsOf(one)).toEqual(before);
  },
);

test('200: a cancellation before the first payment survives the loss of the store of Temporal', async () => {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop);
  const one = { shop, id: body.subscription_id };
  expect((await cancel(one)).status).toBe(200);
  await until(async () => !(await hasMessages(one)));
  await loseRun({ app, temporal }, one);

  const worker = await app.startWorker();
  await until(async () => (await reasonsOf(one)).at(-1) === 'canceled at the period’s end');
  await until(async () => (await storedOf(one)).kinds.length === 0);
  await worker.stop();
});

test('409 subscription_state: a cancellation before the first payment is refused, also if it comes before the run has read its row', async () => {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop, cards.needsAuthentication);
  const one = { shop, id: body.subscription_id };
  const run = temporal.client.workflow.getHandle(`subscription-${one.id}`);
  await until(async () => !(await hasMessages(one)));

  const asked = cancel(one);
  await run.describe();
  const worker = await app.startWorker();
  const refused = { error: 'subscription_state', explain: 'The subscription has not begun yet.' };
  expect(await asked).toMatchObject({ status: 409, body: refused });
  expect(await cancel(one)).toMatchObject({ status: 409, body: refused });
  expect((await storedOf(one)).kinds).toEqual([]);
  await worker.stop();
});

test.each([
  ['once', 0],
  ['again after it', 33 * 86_400_000],
])(
  '200: a new run finds a cancellation from before the end of the period, sent %s, and a later notice',
  async (_times, laterMs) => {
    const worker = await app.startWorker();
    const one = await createSubscriber();
    await worker.stop();
    const nowMs = Date.now();
    await storeChange(one.id, { kind: 'cancel', at: 'period_end', reason: '' }, nowMs);
    await until(async () => !(await hasMessages(one)));
    await passDays(app, one.shop.merchant, 35);
    await loseRun({ app, temporal }, one);
    const run = temporal.client.workflow.getHandle(`subscription-${one.id}`);
    await run.signal('revoked', { id: 'late', atMs: nowMs + 34 * 86_400_000, reason: 'refund' });
    const request = { id: `cancel:${nowMs}`, kind: 'cancel', at: 'period_end', reason: '', aheadMs: 0 };
    await run.signal('changeRequested', { ...request, atMs: nowMs + laterMs });

    const next = await app.startWorker();
    await until(async () => (await rowOf(one)).status === 'canceled');
    await next.stop();
    const text = 'SELECT c.cycle FROM charges c JOIN subscriptions s ON s.id = c.subscription_id WHERE s.token = $1';
    expect((await app.pool.query(text, [one.id])).rows).toEqual([{ cycle: 1 }]);
  },
);

test('200: a cancellation waits behind a stored resumption that is not sent yet', async () => {
  const worker = await app.startWorker();
  const one = await createCanceled();

  await storeChange(one.id, { kind: 'resume' }, Date.now());
  expect((await cancel(one)).status).toBe(200);
  await until(async () => (await storedOf(one)).kinds.length === 0);
  await worker.stop();
  expect((await reasonsOf(one)).slice(-2)).toEqual(['renewal turned on again', 'canceled at the period’s end']);
});

test('a request that is stored again keeps its place before later ones', async () => {
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  const { addRequest } = await import('../../src/subscriptions/changes/requests.model.js');
  const worker = await app.startWorker();
  const one = await createSubscriber();
  await worker.stop();

  const text = 'SELECT id::int FROM subscriptions WHERE token = $1';
  const id = (await app.pool.query<{ id: number }>(text, [one.id])).rows[0]?.id ?? 0;
  for (const kind of ['pause', 'cancel', 'pause'])
    await transaction((inTransaction) => addRequest(inTransaction, id, { id: `${kind}:once`, kind }));
  expect((await storedOf(one)).kinds).toEqual(['pause', 'cancel']);
});

/** The stored requests, the oldest first, and whether the row is due. */
async function storedOf({ id }: Subscriber): Promise<{ kinds: string[]; isDue: boolean }> {
  const text = `SELECT next_due_at <= merchant_now(merchant_id) AS "isDue",
      ARRAY(SELECT r->>'kind' FROM jsonb_array_elements(requests) r) AS kinds
    FROM subscriptions WHERE token = $1`;
  const { rows } = await app.pool.query<{ kinds: string[]; isDue: boolean }>(text, [id]);
  return rows[0] ?? { kinds: [], isDue: false };
}

async function accessOf({ id }: Subscriber): Promise<number> {
  const text = `SELECT a.id::int FROM accesses a JOIN subscriptions s ON s.id = a.source_id AND a.source = 'subscription'
    WHERE s.token = $1`;
  return (await app.pool.query<{ id: number }>(text, [id])).rows[0]?.id ?? 0;
}

async function hasMessages({ id }: Subscriber): Promise<boolean> {
  const text = 'SELECT 1 FROM outbox WHERE workflow_id = $1';
  return (await app.pool.query(text, [`subscription-${id}`])).rows.length > 0;
}
