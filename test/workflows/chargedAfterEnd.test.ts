import { reaches } from '../support/factories';
import { chargesOf, eventsOf } from '../support/ledger';
import { beginAgain, startStoppingAt } from '../support/lostRuns';
import { changeCardOutcome, startScenarios, type Scenarios } from '../support/scenarios';
import { failToRenew } from '../support/testClock';
import { until } from '../support/until';

/** A worker charges, loses its run, and another worker records the end that a message before had asked for. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios({ isIdle: true })));

afterAll(() => scenarios.stop());

test('access.revoked: a retry was paid before the end was recorded: it is refunded, and the end stays', async () => {
  const one = await scenarios.subscribe();
  const { app, temporal } = scenarios;
  const first = await app.startWorker();
  await reaches(app, one.shop.consumer, one.id, 'active');
  await changeCardOutcome(app, one, 'insufficient_funds');
  await failToRenew(app, one.shop, one.id);
  await changeCardOutcome(app, one, 'success');
  await first.stop();

  const stopping = await startStoppingAt(2, 'after');
  const asked = one.request('retry');
  await until(stopping.isReached);
  await temporal.client.workflow.getHandle(`subscription-${one.id}`).terminate();
  const text = 'SELECT id::int AS "subscriptionId", version FROM subscriptions WHERE token = $1';
  const { rows } = await app.pool.query<{ subscriptionId: number; version: number }>(text, [one.id]);
  const [row] = rows;
  if (!row) throw new Error('there is no subscription');
  const { endSubscription } = await import('../../src/subscriptions/lifecycle/endings.js');
  const step = { ...row, atMs: Date.now() + 33 * 86_400_000, to: 'canceled', reason: 'moved' } as const;
  await endSubscription(step, { runId: 'frozen' });
  await Promise.all([stopping.stop(), asked]);

  await beginAgain(scenarios, one.id);
  const worker = await app.startWorker();
  expect(await temporal.client.workflow.getHandle(`subscription-${one.id}`).result()).toEqual({ state: 'canceled' });
  expect(await one.row()).toMatchObject({ status: 'canceled' });
  expect((await chargesOf(app, one.id)).map(({ cycle, status }) => [cycle, status])).toEqual([
    [1, 'paid'],
    [2, 'declined'],
    [2, 'paid'],
  ]);
  const refunded = `SELECT FROM charges c JOIN subscriptions s ON s.id = c.subscription_id
    WHERE s.token = $1 AND c.cycle = 2 AND c.status = 'paid' AND c.refunded_minor = c.amount_minor`;
  await until(async () => (await app.pool.query(refunded, [one.id])).rows.length === 1);
  expect(await eventsOf(app, one.id)).not.toContain('subscribe.renewed');
  await worker.stop();
});
