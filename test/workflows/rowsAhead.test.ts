import { type Actor } from '../../workflows/messages';
import { cards, createFee } from '../support/factories';
import { chargesOf } from '../support/ledger';
import { startScenarios, type Scenarios, type SubscriptionScenario } from '../support/scenarios';
import { sweepLate } from '../support/sweeps';
import { until } from '../support/until';

/** Steps that a worker took before it lost its workflow task, so that the run does not know them. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

/** The input of a step whose workflow task is lost. */
async function lostStep({ id, shop }: SubscriptionScenario, atMs = Date.now()) {
  const text = 'SELECT id::int AS "subscriptionId", version FROM subscriptions WHERE token = $1';
  const { rows } = await scenarios.app.pool.query<{ subscriptionId: number; version: number }>(text, [id]);
  const [row] = rows;
  if (!row) throw new Error('there is no subscription');
  const actor: Actor = { accountId: shop.consumer.id, requestId: 'lost' };
  return { ...row, atMs, actor };
}

/** Cancels for the end of the period, in a step that the run does not know. */
async function loseCancellation(one: SubscriptionScenario): Promise<void> {
  const { turnRenewal } = await import('../../src/subscriptions/lifecycle/endings.js');
  await turnRenewal({ ...(await lostStep(one)), autoRenew: false, reason: '' }, { runId: 'lost' });
}

const reasonsOf = async ({ id }: SubscriptionScenario) => {
  const text = `SELECT e.reason FROM subscription_events e JOIN subscriptions s ON s.id = e.subscription_id
    WHERE s.token = $1 ORDER BY e.sequence`;
  return (await scenarios.app.pool.query<{ reason: string }>(text, [id])).rows.map(({ reason }) => reason);
};

test('409 subscription_state: a request whose place a lost cancellation took is decided on the row as it is', async () => {
  const one = await scenarios.subscribe();
  await loseCancellation(one);
  expect(await one.request('pause')).toMatchObject({ status: 409, body: { error: 'subscription_state' } });
  expect((await reasonsOf(one)).at(-1)).toBe('canceled at the period’s end');
});

test('200: a resumption is made after a cancellation that the run lost', async () => {
  const one = await scenarios.subscribe();
  await loseCancellation(one);
  expect(await one.request('resume')).toMatchObject({ status: 200 });
  expect((await reasonsOf(one)).slice(-2)).toEqual(['canceled at the period’s end', 'renewal turned on again']);
});

test('200: a run that Temporal has restored to a moment before several steps makes a change that its row allows', async () => {
  const one = await scenarios.subscribe();
  const { planPause } = await import('../../src/subscriptions/lifecycle/periods.js');
  await planPause({ ...(await lostStep(one)), pauses: true }, { runId: 'lost' });
  await loseCancellation(one);
  expect(await one.request('resume')).toMatchObject({ status: 200 });
  expect(await one.row()).toMatchObject({ cancel_at_period_end: false });
});

test('access.granted: a won dispute restores access that a run lost the end of', async () => {
  const one = await scenarios.subscribe();
  const { endSubscription } = await import('../../src/subscriptions/lifecycle/endings.js');
  await endSubscription({ ...(await lostStep(one)), to: 'revoked', reason: 'dispute' }, { runId: 'lost' });
  expect(await one.hasAccess()).toBe(false);
  const run = scenarios.temporal.client.workflow.getHandle(`subscription-${one.id}`);
  await run.signal('restored', { id: 'dispute:won', atMs: Date.now() });
  await until(() => one.hasAccess());
});

test('access.revoked: a second dispute ends access after a restoration that the run lost', async () => {
  const one = await scenarios.subscribe();
  const run = scenarios.temporal.client.workflow.getHandle(`subscription-${one.id}`);
  await run.signal('revoked', { id: 'first', atMs: Date.now(), reason: 'dispute' });
  await until(async () => !(await one.hasAccess()));
  const { restoreSubscription } = await import('../../src/subscriptions/lifecycle/endings.js');
  await restoreSubscription(await lostStep(one), { runId: 'lost' });
  expect(await one.hasAccess()).toBe(true);
  await run.signal('revoked', { id: 'second', atMs: Date.now(), reason: 'dispute' });
  await until(async () => !(await one.hasAccess()));
});

const messages: Record<string, (one: SubscriptionScenario) => Promise<unknown>> = {
  request: (one) => one.request('pause'),
  signal: (one) => {
    const stored = { id: 'pause:again', kind: 'pause', atMs: Date.now(), aheadMs: 0 };
    return scenarios.temporal.client.workflow.getHandle(`subscription-${one.id}`).signal('changeRequested', stored);
  },
};

test.each(Object.keys(messages))('after a %s, a run that starts over says that a new run continues', async (kind) => {
  const one = await scenarios.subscribe();
  const { workflow } = scenarios.temporal.client;
  const current = workflow.getHandle(`subscription-${one.id}`);
  const { runId } = await current.describe();
  await loseCancellation(one);
  await messages[kind]?.(one);
  await until(async () => (await current.describe()).runId !== runId);
  const previous = workflow.getHandle(`subscription-${one.id}`, runId);
  expect(await previous.query('snapshot')).toMatchObject({ state: 'active', waiting: 0, doing: 'new run' });
});

test('access.revoked: a subscription whose cancellation the run lost ends, and is not charged', async () => {
  const one = await scenarios.subscribe();
  await loseCancellation(one);
  expect((await one.advanceDays(32)).status).toBe('canceled');
  expect(await chargesOf(scenarios.app, one.id)).toHaveLength(1);
});

test('subscribe.renewed: a sweep tells the run that its row asks for a charge, and the lost resumption is paid', async () => {
  const one = await scenarios.subscribe();
  expect((await one.request('pause')).status).toBe(200);
  expect((await one.advanceDays(32)).status).toBe('paused');
  const { priceResumption } = await import('../../src/subscriptions/lifecycle/periods.js');
  await priceResumption(await lostStep(one, Date.now() + 32 * 86_400_000), { runId: 'lost' });
  await sweepLate();
  await until(async () => (await one.row()).status === 'active');
  expect((await chargesOf(scenarios.app, one.id)).map(({ status }) => status)).toEqual(['paid', 'paid']);
});

test('access.revoked: a retry is not charged after a cancellation that the run lost', async () => {
  const one = await scenarios.subscribe(cards.declinedAtRenewal);
  expect((await one.advanceDays(32)).status).toBe('past_due');
  const before = await chargesOf(scenarios.app, one.id);
  const { endSubscription } = await import('../../src/subscriptions/lifecycle/endings.js');
  const step = await lostStep(one, Date.now() + 32 * 86_400_000);
  await endSubscription({ ...step, to: 'canceled', reason: 'moved' }, { runId: 'lost' });
  const run = scenarios.temporal.client.workflow.getHandle(`subscription-${one.id}`);
  await run.signal('clockMoved', { aheadMs: 52 * 86_400_000 });
  expect(await run.result()).toEqual({ state: 'canceled' });
  expect(await chargesOf(scenarios.app, one.id)).toEqual(before);
});

test('200: a debt is charged once, although the run lost a step before the end', async () => {
  const one = await scenarios.subscribe(cards.success, { fee: { amount: '1' } });
  const { app } = scenarios;
  await app.pool.query('UPDATE items SET next_invoice_enabled = true WHERE id = $1', [one.shop.item.id]);
  const { id } = await createFee(app, one.shop.merchant, one.shop.item.id, { amount: '100' });
  expect((await one.request('switch', { access_fee_id: id, mode: 'next_invoice' })).status).toBe(200);

  await loseCancellation(one);
  expect((await one.send('DELETE', `/subscriptions/${one.id}`, { at: 'now' })).status).toBe(200);
  await until(async () => (await one.row()).status === 'canceled');
  expect((await chargesOf(app, one.id)).map(({ amount, status }) => [amount, status])).toEqual([
    [100, 'paid'],
    [9_900, 'paid'],
  ]);
});
