import { randomUUID } from 'node:crypto';
import { backgroundTaskQueue } from '../../workflows/messages';
import { createConsumer, createShop, reaches, subscribe } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { connectTemporal } from '../support/temporalClient';
import { passDays } from '../support/testClock';
import { until } from '../support/until';

/** Renewals have slots of their own. Purchases do not wait for them, however long they take. */

const renewals = 6;

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ DATABASE_POOL: '12', WORKER_WORKFLOW_TASKS: '3', WORKER_BACKGROUND_ACTIVITIES: '2' });
  await app.startWorker();
});

afterAll(() => app.stop());

test('active: a purchase does not wait for another merchant’s renewals, even if these exceed the slots', async () => {
  const [crowd, other] = [await createShop(app), await createShop(app)];
  const ids: string[] = [];
  for (let n = 0; n < renewals; n += 1) {
    const consumer = n === 0 ? crowd.consumer : await createConsumer(app, crowd.merchant);
    const { body } = await subscribe(app, { ...crowd, consumer });
    await reaches(app, consumer, body.subscription_id, 'active');
    ids.push(body.subscription_id);
  }
  const holder = await app.pool.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT FROM subscriptions WHERE token = ANY($1) FOR UPDATE', [ids]);
    await passDays(app, crowd.merchant, 32);
    await until(async () => (await waitingForLocks()) >= 2);
    const { body } = await subscribe(app, other);
    await reaches(app, other.consumer, body.subscription_id, 'active');
    expect(await countOfCycle(ids, 2)).toBe(0);
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
  await until(async () => (await countOfCycle(ids, 2)) === renewals);
});

test.each(['reconcile', 'storeHistories'] as const)('the hourly %s uses the slots of background work', async (name) => {
  const temporal = await connectTemporal();
  const taskQueue = process.env['TEMPORAL_TASK_QUEUE'] ?? '';
  const workflowId = `${name}-${randomUUID()}`;
  await temporal.client.workflow.execute(name, { taskQueue, workflowId });
  const { events } = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
  await temporal.close();
  const queues = events?.map((event) => event.activityTaskScheduledEventAttributes?.taskQueue?.name).filter(Boolean);
  expect(queues).toEqual([backgroundTaskQueue(taskQueue)]);
});

async function waitingForLocks(): Promise<number> {
  const text = `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return (await app.pool.query<{ count: number }>(text)).rows[0]?.count ?? 0;
}

async function countOfCycle(tokens: string[], cycle: number): Promise<number> {
  const text = 'SELECT count(*)::int FROM subscriptions WHERE token = ANY($1) AND cycle = $2';
  return (await app.pool.query<{ count: number }>(text, [tokens, cycle])).rows[0]?.count ?? 0;
}
