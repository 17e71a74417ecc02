import { checkRowSignal } from '../../workflows/messages';
import type * as RunCounts from '../../src/adapters/runCounts';
import type * as Sweep from '../../src/adapters/sweep';
import { moveClock } from '../support/access';
import { createShop, subscribe } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { sweepAll } from '../support/sweeps';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { until } from '../support/until';

/** No worker polls the task queue of this file, so rows do not change. */

let app: TestApp;
let temporal: TemporalClient;
let sweepRuns: typeof Sweep.sweepRuns;
let readCounts: typeof RunCounts.readCounts;

beforeAll(async () => {
  app = await startApp();
  temporal = await connectTemporal();
  ({ sweepRuns } = await import('../../src/adapters/sweep.js'));
  ({ readCounts } = await import('../../src/adapters/runCounts.js'));
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
});

/** Looks at overdue rows only, and at each row every time. */
const dueOnly = { overdueSeconds: 120, againSeconds: 0, lateSeconds: 600, roundSeconds: 86_400, rows: 100 };

async function begin() {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop);
  const handle = await temporal.begun(`subscription-${body.subscription_id}`);
  const isRunning = async () => (await handle.describe()).status.name === 'RUNNING';
  const dueFor = (seconds: number) =>
    app.pool.query('UPDATE subscriptions SET next_due_at = now() - make_interval(secs => $2) WHERE token = $1', [
      body.subscription_id,
      seconds,
    ]);
  const signals = async () => {
    const { events } = await handle.fetchHistory();
    return (events ?? []).flatMap((event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? []);
  };
  return { shop, handle, isRunning, dueFor, signals };
}

test('a terminated run is started again when its row is two minutes overdue', async () => {
  const { handle, isRunning, dueFor } = await begin();
  await sweepAll();
  await handle.terminate('by a test');
  await dueFor(60);
  expect(await sweepRuns(dueOnly)).toBe(0);
  await dueFor(120);
  expect(await sweepRuns(dueOnly)).toBe(1);
  expect(await isRunning()).toBe(true);
  expect(await sweepRuns(dueOnly)).toBe(0);
});

test('a missing run of a row that is not due is started by the round over all rows', async () => {
  const { handle, isRunning, dueFor } = await begin();
  await dueFor(-86_400);
  await sweepAll();
  await handle.terminate('by a test');
  expect(await sweepRuns(dueOnly)).toBe(0);
  expect(await sweepRuns({ ...dueOnly, roundSeconds: 0 })).toBe(1);
  expect(await isRunning()).toBe(true);
});

test('a round continues where the last sweep stopped', async () => {
  const begun = [await begin(), await begin(), await begin()];
  await sweepAll();
  for (const { handle, dueFor } of begun) {
    await dueFor(-86_400);
    await handle.terminate('by a test');
  }
  const one = { ...dueOnly, roundSeconds: 0, rows: 1 };
  await until(async () => {
    await sweepRuns(one);
    return (await Promise.all(begun.map(({ isRunning }) => isRunning()))).every(Boolean);
  });
});

test('a run is told to compare itself with its row when the row is ten minutes overdue', async () => {
  const { dueFor, signals } = await begin();
  await dueFor(300);
  expect(await sweepRuns(dueOnly)).toBe(0);
  expect(await signals()).toEqual([]);
  await dueFor(600);
  expect(await sweepRuns(dueOnly)).toBe(0);
  expect(await signals()).toEqual([checkRowSignal]);
});

test('a run is told again after five minutes', async () => {
  const { dueFor, signals } = await begin();
  await dueFor(600);
  const usual = { ...dueOnly, againSeconds: 300 };
  await sweepRuns(usual);
  await sweepRuns(usual);
  expect(await signals()).toEqual([checkRowSignal]);
  await app.pool.query(`UPDATE subscriptions SET run_checked_at = run_checked_at - interval '300 seconds'`);
  await sweepRuns(usual);
  expect(await signals()).toEqual([checkRowSignal, checkRowSignal]);
});

test('a missing run of a row that is ten minutes overdue is started without a signal', async () => {
  const { handle, dueFor, signals } = await begin();
  await sweepAll();
  await handle.terminate('by a test');
  await dueFor(600);
  expect(await sweepRuns(dueOnly)).toBe(1);
  expect(await signals()).toEqual([]);
});

test('a row is not overdue right after a test clock has passed its due time', async () => {
  const { shop, handle } = await begin();
  await sweepAll();
  await handle.terminate('by a test');
  await moveClock(app, shop.merchant, '1 day');
  expect(await sweepRuns(dueOnly)).toBe(0);
  await app.pool.query(`UPDATE test_clocks SET updated_at = now() - interval '2 minutes' WHERE merchant_id = $1`, [
    shop.merchant.id,
  ]);
  expect(await sweepRuns(dueOnly)).toBe(1);
});

test('two sweeps at the same time take each row once', async () => {
  const begun = [await begin(), await begin(), await begin(), await begin()];
  await sweepAll();
  for (const { handle, dueFor } of begun) {
    await dueFor(600);
    await handle.terminate('by a test');
  }
  const started = await Promise.all([sweepRuns(dueOnly), sweepRuns(dueOnly)]);
  expect(started.reduce((sum, each) => sum + each)).toBe(begun.length);
});

test('the metrics count overdue rows and missing runs', async () => {
  const { handle, dueFor } = await begin();
  await sweepAll();
  const countOf = async () => (await readCounts()).find(({ workflow }) => workflow === 'subscription');
  await until(async () => (await countOf())?.missing === 0);
  const before = (await countOf())?.overdue ?? 0;
  await handle.terminate('by a test');
  await dueFor(5_000);
  const after = await until(async () => {
    const count = await countOf();
    return count?.missing === 1 && count;
  });
  expect(after.overdue).toBe(before + 1);
  expect(after.oldestSeconds).toBeGreaterThanOrEqual(5_000);
});

test('the log gives the reason why the server refuses a start, not the name of the call', async () => {
  const { client, reasonOf } = await import('../../src/adapters/temporalConnection.js');
  const refused = client.workflow.start('subscription', {
    workflowId: 'x'.repeat(2_000),
    taskQueue: 'nobody',
    args: [{ subscriptionId: 0 }],
  });
  const error: unknown = await refused.catch((reason: unknown) => reason);
  expect(reasonOf(error)).toMatch(/length|limit/i);
});
