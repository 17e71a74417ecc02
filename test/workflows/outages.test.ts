import { check, takeAway } from '../support/access';
import { subscribeWithAuthentication, type Authentication } from '../support/payer';
import { findFaults } from '../support/books';
import { call } from '../support/client';
import { cards, createShop, reaches, subscribe, type Shop, type SubscriptionRow } from '../support/factories';
import { chargesOf } from '../support/ledger';
import { startApp, type TestApp } from '../support/startApp';
import { startOwnTemporal, type OwnTemporal } from '../support/temporalServer';
import { until } from '../support/until';

/** The workflow server stops, hangs and refuses. Purchases are accepted all the time, and each takes effect once. */

let app: TestApp;
let temporal: OwnTemporal;

beforeAll(async () => {
  temporal = await startOwnTemporal();
  app = await startApp({ TEMPORAL_ADDRESS: temporal.address });
  await app.startWorker();
});

afterAll(async () => {
  await app.stop();
  await temporal.stop();
});

interface Waiting {
  attempts: number;
  parked_at: Date | null;
  last_error: string | null;
}

async function findWaiting(workflowId: string): Promise<Waiting | undefined> {
  const text = 'SELECT attempts, parked_at, last_error FROM outbox WHERE workflow_id = $1';
  return (await app.pool.query<Waiting>(text, [workflowId])).rows[0];
}

async function expectPaid(shop: Shop, id: string): Promise<void> {
  await reaches(app, shop.consumer, id, 'active');
  expect(await findFaults(app.pool, id)).toEqual([]);
}

describe('the workflow server is killed', () => {
  let shops: Shop[];
  let submitted: Awaited<ReturnType<typeof subscribe>>[];
  let asked: { shop: Shop; authentication: Authentication };
  let answered: number;
  let waitingMeanwhile: number;

  beforeAll(async () => {
    const shop = await createShop(app);
    asked = { shop, authentication: await subscribeWithAuthentication(app, shop) };
    shops = await Promise.all([createShop(app), createShop(app), createShop(app)]);
    await temporal.kill();
    answered = (await asked.authentication.answer('approved')).status;
    submitted = await Promise.all(shops.map((each) => subscribe(app, each)));
    for (const { body } of submitted) await until(() => findWaiting(`subscription-${body.subscription_id}`));
    const text = `SELECT count(*)::int FROM subscriptions WHERE state = 'incomplete'`;
    waitingMeanwhile = (await app.pool.query<{ count: number }>(text)).rows[0]?.count ?? 0;
    await temporal.start();
  });

  test('202: purchases are accepted meanwhile, wait, and succeed when it is back', async () => {
    expect(submitted.map(({ status, body }) => [status, body.status])).toEqual(shops.map(() => [202, 'incomplete']));
    expect(waitingMeanwhile).toBe(shops.length + 1);
    for (const [index, shop] of shops.entries()) await expectPaid(shop, submitted[index]?.body.subscription_id ?? '');
  });

  test('200: an authentication that is answered meanwhile reaches the workflow that waited for it', async () => {
    expect(answered).toBe(200);
    await expectPaid(asked.shop, asked.authentication.id);
  });
});

describe('the workflow server hangs', () => {
  test('202: a purchase is answered while nothing answers us, and succeeds afterwards', async () => {
    const shops = [await createShop(app), await createShop(app)];
    temporal.freeze();
    // The first request waits for the server, and the second one does not wait again.
    const replies = [];
    for (const shop of shops) replies.push(await subscribe(app, shop));
    expect(replies.map(({ status }) => status)).toEqual([202, 202]);

    temporal.thaw();
    for (const [index, shop] of shops.entries()) await expectPaid(shop, replies[index]?.body.subscription_id ?? '');
  });
});

describe('a workflow that has ended', () => {
  test('200: word for it is dropped', async () => {
    const shop = await createShop(app);
    const { id, answer } = await subscribeWithAuthentication(app, shop);
    await answer('refused');
    await reaches(app, shop.consumer, id, 'incomplete_expired');
    expect((await answer('approved')).status).toBe(200);
    expect(await findFaults(app.pool, id)).toEqual([]);
  });
});

describe('messages that wait for the relay', () => {
  /** An id that is too long is refused each time, nine times so far. It comes first in the batch. */
  const poison = `subscription-${'x'.repeat(1_001)}`;
  const insert = `
    INSERT INTO outbox (id, workflow, workflow_id, message_id, input, memo, attempts, available_at)
    SELECT 0, 'subscription', $1, $1, '{"subscriptionId":0}'::jsonb, $3::jsonb, 9, now()
    UNION ALL
    SELECT 1000000 + id, 'subscription', 'subscription-' || token, 'again-' || token,
      jsonb_build_object('subscriptionId', id), $3, 0, now() FROM subscriptions WHERE token = ANY($2)`;
  const labels = { merchantId: 1, itemId: 1, state: 'incomplete', requestId: '', summary: '' };
  let ended: string[];

  beforeAll(async () => {
    const shops = await Promise.all([createShop(app), createShop(app)]);
    ended = await Promise.all(
      shops.map(async (shop) => {
        const { body } = await subscribe(app, shop, cards.declined);
        await reaches(app, shop.consumer, body.subscription_id, 'incomplete_expired');
        return body.subscription_id;
      }),
    );
    await app.pool.query(insert, [poison, ended, labels]);
  });

  test('one that is refused for the tenth time is put aside, with the reason', async () => {
    const parked = await until(async () => {
      const row = await findWaiting(poison);
      return row !== undefined && row.parked_at !== null && row;
    });
    expect(parked).toMatchObject({ attempts: 10, last_error: expect.stringMatching(/./) as unknown });
  });

  test('those behind it go through, and a start that is sent once more starts nothing', async () => {
    for (const id of ended) expect(await findFaults(app.pool, id)).toEqual([]);
  });
});

describe('a cancellation while the workflow server is away', () => {
  test('200: it is promised, and happens when that is back', async () => {
    const shop = await createShop(app);
    const { body } = await subscribe(app, shop);
    const id = body.subscription_id;
    await reaches(app, shop.consumer, id, 'active');
    await until(async () => (await findWaiting(`subscription-${id}`)) === undefined);
    await temporal.kill();
    const path = `/subscriptions/${id}`;
    const canceled = await call(app, 'DELETE', path, {}, shop.consumer);
    expect([canceled.status, canceled.body]).toMatchObject([200, { status: 'pending' }]);
    const paused = await call(app, 'POST', `${path}/pause`, {}, shop.consumer);
    expect(paused).toMatchObject({ status: 202, body: { status: 'pending', url: path } });
    await temporal.start();
    const row = await until(async () => {
      const found = await call<SubscriptionRow>(app, 'GET', path, undefined, shop.consumer);
      return found.body.cancel_at_period_end && found.body;
    });
    expect(row).toMatchObject({ status: 'active', action_type: 'canceled' });
  });
});

describe('access taken away while the workflow server is away', () => {
  test('200: it is closed at once, and its subscription ends when that is back', async () => {
    const shop = await createShop(app);
    const { body } = await subscribe(app, shop);
    const id = body.subscription_id;
    await reaches(app, shop.consumer, id, 'active');
    await until(async () => (await findWaiting(`subscription-${id}`)) === undefined);
    const { id: accessId } = (await check(app, shop.item.id, shop.consumer)).body;
    await temporal.kill();
    expect((await takeAway(app, shop, accessId)).status).toBe(200);
    expect((await check(app, shop.item.id, shop.consumer)).status).toBe(402);
    await temporal.start();
    await reaches(app, shop.consumer, id, 'canceled');
    expect((await chargesOf(app, id)).map(({ status }) => status)).toEqual(['paid']);
  });
});

describe('words for a workflow', () => {
  const labels = { merchantId: 1, itemId: 1, state: 'incomplete', requestId: '', summary: '' };

  test('wait while its start is put aside, and are heard when that is sent after all', async () => {
    const shop = await createShop(app);
    const { id, answer } = await subscribeWithAuthentication(app, shop);
    const workflowId = `subscription-${id}`;
    await until(async () => (await findWaiting(workflowId)) === undefined);
    await app.pool.query(
      `INSERT INTO outbox (workflow, workflow_id, message_id, input, memo, attempts, available_at, parked_at)
       VALUES ('subscription', $1, $1, '{"subscriptionId":0}'::jsonb, $2::jsonb, 10, now(), now())`,
      [workflowId, labels],
    );
    await answer('approved');
    // A later message has been sent, so the relay has processed this one.
    const other = await createShop(app);
    await app.pool.query('UPDATE outbox SET available_at = now() WHERE workflow_id = $1', [workflowId]);
    await app.pool.query(
      `INSERT INTO outbox (workflow, workflow_id, message_id, signal, input, memo, available_at)
       VALUES ('subscription', $1, $1, 'paymentAnswered', '{}'::jsonb, $2::jsonb, now())`,
      [`subscription-gone-${other.merchant.id}`, labels],
    );
    await until(async () => (await findWaiting(`subscription-gone-${other.merchant.id}`)) === undefined);
    const text = 'SELECT count(*)::int AS count FROM outbox WHERE workflow_id = $1 AND signal IS NOT NULL';
    expect((await app.pool.query(text, [workflowId])).rows).toEqual([{ count: 1 }]);
    await app.pool.query('UPDATE outbox SET parked_at = NULL, attempts = 0 WHERE workflow_id = $1', [workflowId]);
    await expectPaid(shop, id);
  });

  test('that are promised again while they are sent are sent again: the first may have come too early', async () => {
    const { enqueue, sendNow } = await import('../../src/adapters/outbox.js');
    const { transaction } = await import('../../src/adapters/postgres/connection.js');
    const shop = await createShop(app);
    const { id } = await subscribeWithAuthentication(app, shop);
    const workflowId = `subscription-${id}`;
    const word = {
      messageId: `${id}:answered:again`,
      workflow: 'subscription',
      workflowId,
      signal: 'paymentAnswered',
      input: { subscriptionId: 0 },
      labels,
    } as const;
    const promise = () => transaction((inTransaction) => enqueue(inTransaction, word));
    const first = await promise();
    const second = await promise();
    await sendNow(first);
    expect(await findWaiting(workflowId)).toBeDefined();
    await sendNow(second);
    expect(await findWaiting(workflowId)).toBeUndefined();
  });
});
