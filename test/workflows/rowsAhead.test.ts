import { type Actor } from '../../workflows/messages';
import { cards } from '../support/factories';
import { chargesOf } from '../support/ledger';
import { startScenarios, type Scenarios, type SubscriptionScenario } from '../support/scenarios';

/** Steps that a worker took before it lost its workflow task, so that the run does not know them. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

/** Takes a step of a request whose workflow task is lost. */
async function loseStep({ id, shop }: SubscriptionScenario, autoRenew: boolean): Promise<void> {
  const { turnRenewal } = await import('../../src/subscriptions/lifecycle/endings.js');
  const text = 'SELECT id::int AS "subscriptionId", version FROM subscriptions WHERE token = $1';
  const { rows } = await scenarios.app.pool.query<{ subscriptionId: number; version: number }>(text, [id]);
  const [row] = rows;
  if (!row) throw new Error('there is no subscription');
  const actor: Actor = { accountId: shop.consumer.id, requestId: 'lost' };
  await turnRenewal({ ...row, atMs: Date.now(), actor, autoRenew, reason: '' }, { runId: 'lost' });
}

const reasonsOf = async ({ id }: SubscriptionScenario) => {
  const text = `SELECT e.reason FROM subscription_events e JOIN subscriptions s ON s.id = e.subscription_id
    WHERE s.token = $1 ORDER BY e.sequence`;
  return (await scenarios.app.pool.query<{ reason: string }>(text, [id])).rows.map(({ reason }) => reason);
};

test('409 subscription_state: a request whose place a lost cancellation took is decided on the row as it is', async () => {
  const one = await scenarios.subscribe();
  await loseStep(one, false);
  expect(await one.request('pause')).toMatchObject({ status: 409, body: { error: 'subscription_state' } });
  expect((await reasonsOf(one)).at(-1)).toBe('canceled at the period’s end');
});

test('access.revoked: a subscription whose cancellation the run lost ends, and is not charged', async () => {
  const one = await scenarios.subscribe();
  await loseStep(one, false);
  expect((await one.advanceDays(32)).status).toBe('canceled');
  expect(await chargesOf(scenarios.app, one.id)).toHaveLength(1);
});

test('access.revoked: a retry is not charged after a cancellation that the run lost', async () => {
  const one = await scenarios.subscribe(cards.declinedAtRenewal);
  expect((await one.advanceDays(32)).status).toBe('past_due');
  const before = await chargesOf(scenarios.app, one.id);
  const { endSubscription } = await import('../../src/subscriptions/lifecycle/endings.js');
  const text = 'SELECT id::int AS "subscriptionId", version FROM subscriptions WHERE token = $1';
  const { rows } = await scenarios.app.pool.query<{ subscriptionId: number; version: number }>(text, [one.id]);
  const actor: Actor = { accountId: one.shop.consumer.id, requestId: 'lost' };
  const atMs = Date.now() + 32 * 86_400_000;
  for (const row of rows)
    await endSubscription({ ...row, atMs, actor, to: 'canceled', reason: 'moved' }, { runId: 'lost' });
  const run = scenarios.temporal.client.workflow.getHandle(`subscription-${one.id}`);
  await run.signal('clockMoved', { aheadMs: 52 * 86_400_000 });
  expect(await run.result()).toEqual({ state: 'canceled' });
  expect(await chargesOf(scenarios.app, one.id)).toEqual(before);
});
