import { renewalDelayMs } from '../../src/billing/spread';
import { chargesOf } from '../support/ledger';
import { startScenarios, type SubscriptionScenario, type Scenarios } from '../support/scenarios';
import { loseRun } from '../support/lostRuns';
import { until } from '../support/until';

/** Renewals that are due in the same minute are spread. Customers keep access until then. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));
afterAll(() => scenarios.stop());

interface Row {
  id: number;
  endsAt: Date;
  nextDueAt: Date;
}

async function rowOf({ id }: SubscriptionScenario): Promise<Row> {
  const text = `SELECT id, current_period_end AS "endsAt", next_due_at AS "nextDueAt" FROM subscriptions WHERE token = $1`;
  const [row] = (await scenarios.app.pool.query<Row>(text, [id])).rows;
  if (!row) throw new Error('no such subscription');
  return row;
}

/** A subscription whose period ended a second ago, with a new run and no moved clock. */
async function beginAtPeriodEnd(): Promise<SubscriptionScenario> {
  const scenario = await scenarios.subscribe();
  const { id } = await rowOf(scenario);
  // The delay is long enough for a slow machine.
  expect(renewalDelayMs(id)).toBeGreaterThan(300_000);
  await scenarios.app.pool.query(
    `UPDATE subscriptions SET current_period_end = date_trunc('second', now()) - interval '1 second' WHERE id = $1`,
    [id],
  );
  await scenarios.app.pool.query(
    `UPDATE accesses SET expires_at = now() + interval '59 minutes' WHERE source = 'subscription' AND source_id = $1`,
    [id],
  );
  await loseRun(scenarios, scenario);
  return scenario;
}

/** The lengths of the timers of the run. */
const timersOf = async ({ id }: SubscriptionScenario) =>
  [...(await scenarios.temporal.history(id)).matchAll(/"startToFireTimeout": ?"([\d.]+)s"/g)].map(
    ([, seconds]) => Number(seconds) * 1000,
  );

test('200: the renewal waits for its minute with access, and no date changes', async () => {
  const scenario = await beginAtPeriodEnd();
  const { id, endsAt } = await rowOf(scenario);
  const [timerMs = 0] = await until(async () => {
    const timers = await timersOf(scenario);
    return timers.length > 0 && timers;
  });
  expect(timerMs).toBeGreaterThan(0);
  expect(timerMs).toBeLessThan(renewalDelayMs(id));
  expect(await scenario.row()).toMatchObject({ status: 'active' });
  expect(await scenario.hasAccess()).toBe(true);
  expect(await chargesOf(scenarios.app, scenario.id)).toHaveLength(1);

  const renewed = await scenario.advanceDays(0.001);
  expect(renewed).toMatchObject({ status: 'active', current_period_start: endsAt.getTime() / 1000 });
  expect(await chargesOf(scenarios.app, scenario.id)).toMatchObject([{ status: 'paid' }, { status: 'paid' }]);
  const after = await rowOf(scenario);
  expect(after.nextDueAt.getTime() - after.endsAt.getTime()).toBe(renewalDelayMs(id));
});

test('200: a change that is requested meanwhile follows the renewal', async () => {
  const scenario = await beginAtPeriodEnd();
  await until(async () => (await timersOf(scenario)).length > 0);
  expect((await scenario.send('DELETE', `/subscriptions/${scenario.id}`)).status).toBe(200);
  const text = 'SELECT 1 FROM subscriptions WHERE token = $1 AND cycle = 2 AND NOT auto_renew';
  await until(async () => (await scenarios.app.pool.query(text, [scenario.id])).rows.length === 1);
  expect(await chargesOf(scenarios.app, scenario.id)).toMatchObject([{ cycle: 1 }, { cycle: 2, status: 'paid' }]);
});
