import { randomUUID } from 'node:crypto';
import { call } from '../support/client';
import { createFee } from '../support/factories';
import { chargesOf } from '../support/ledger';
import { loseRun } from '../support/lostRuns';
import { startScenarios, type Scenarios, type SubscriptionScenario } from '../support/scenarios';
import { isIdle, passDays } from '../support/testClock';
import { until } from '../support/until';

/** Requests and notices that are repeated after their answers and Temporal's store are lost. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

type Fields = Record<string, unknown>;

/** Sends the request until it is answered, then loses the answer and the run, does `between`, and sends it again. */
async function repeatAfterLoss(
  one: SubscriptionScenario,
  [what, fields]: [string, Fields],
  between: () => Promise<unknown> = () => Promise.resolve(),
) {
  const key = randomUUID();
  const send = () => {
    const options = { ...one.shop.consumer, headers: { 'Idempotency-Key': key } };
    return call(scenarios.app, 'POST', `/subscriptions/${one.id}/${what}`, fields, options);
  };
  const first = await send();
  await scenarios.app.pool.query('DELETE FROM idempotency_keys WHERE key = $1', [key]);
  await loseRun(scenarios, one);
  await between();
  return { first, again: await send() };
}

const cancel = ({ id, send }: SubscriptionScenario) => send('DELETE', `/subscriptions/${id}`, {});

test('200: a plan change that was made and charged is answered again, and charged once', async () => {
  const one = await scenarios.subscribe();
  const { id } = await createFee(scenarios.app, one.shop.merchant, one.shop.item.id, { amount: '19.99' });
  const { first, again } = await repeatAfterLoss(one, ['switch', { access_fee_id: id }]);
  expect(first).toMatchObject({ status: 200 });
  expect(again).toMatchObject({ status: 200, body: first.body });
  expect(await chargesOf(scenarios.app, one.id)).toHaveLength(2);
});

test('200: a resumption that was made is not made again after a later cancellation', async () => {
  const one = await scenarios.subscribe();
  await cancel(one);
  const { first, again } = await repeatAfterLoss(one, ['resume', {}], () => cancel(one));
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(await one.row()).toMatchObject({ cancel_at_period_end: true });
});

test('200: a pause that was made is not refused as planned already', async () => {
  const one = await scenarios.subscribe();
  const { first, again } = await repeatAfterLoss(one, ['pause', {}]);
  expect([first.status, again.status]).toEqual([200, 200]);
});

test('200: a plan change that was made is answered again after the test clock has moved by more than a day', async () => {
  const one = await scenarios.subscribe();
  const { id } = await createFee(scenarios.app, one.shop.merchant, one.shop.item.id, { amount: '19.99' });
  const later = () => passDays(scenarios.app, one.shop.merchant, 2);
  const { first, again } = await repeatAfterLoss(one, ['switch', { access_fee_id: id }], later);
  expect(first).toMatchObject({ status: 200 });
  expect(again).toMatchObject({ status: 200, body: first.body });
});

test('422 invalid_input: the key of a plan change is forgotten a day after the change', async () => {
  const one = await scenarios.subscribe();
  const { id } = await createFee(scenarios.app, one.shop.merchant, one.shop.item.id, { amount: '19.99' });
  const text = `UPDATE subscription_events SET recorded_at = recorded_at - interval '1 day' WHERE subscription_id =
    (SELECT id FROM subscriptions WHERE token = $1)`;
  const age = () => scenarios.app.pool.query(text, [one.id]);
  const { again } = await repeatAfterLoss(one, ['switch', { access_fee_id: id }], age);
  expect(again.status).toBe(422);
});

test('409 subscription_state: a request that was refused is decided anew', async () => {
  const one = await scenarios.subscribe();
  const { first, again } = await repeatAfterLoss(one, ['resume', {}]);
  expect([first.status, again.status]).toEqual([409, 409]);
});

test('access.granted: a notice of a dispute that comes again after the dispute was won takes no access away', async () => {
  const one = await scenarios.subscribe();
  const run = scenarios.temporal.client.workflow.getHandle(`subscription-${one.id}`);
  const told = { id: 'dispute-1', atMs: Date.now(), reason: 'dispute' };
  await run.signal('revoked', told);
  await until(async () => (await one.row()).status === 'revoked');
  await run.signal('restored', { id: 'dispute-1:won', atMs: Date.now() });
  await until(() => one.hasAccess());

  await loseRun(scenarios, one);
  await run.signal('revoked', told);
  await until(() => isIdle(run));
  expect(await one.row()).toMatchObject({ status: 'active' });
  expect(await one.hasAccess()).toBe(true);
});
