import { createFee } from '../support/factories';
import { chargesOf, takenFor } from '../support/ledger';
import { loseRun } from '../support/lostRuns';
import { startScenarios, type SubscriptionScenario, type Scenarios } from '../support/scenarios';
import { storeChange } from '../support/storedChanges';
import { passDays } from '../support/testClock';
import { until } from '../support/until';

/** A run is lost, and the next one receives a message before it knows what the lost one has done. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));
afterAll(() => scenarios.stop());

const feeOf = async (scenario: SubscriptionScenario) => (await scenario.row()).access_fee_id;

const isDecided = async ({ id }: SubscriptionScenario) => {
  const text = "SELECT FROM subscriptions WHERE token = $1 AND requests = '[]'";
  return (await scenarios.app.pool.query(text, [id])).rows.length === 1;
};

test('a plan change that was made before costs nothing again, although a later one took it back', async () => {
  const scenario = await scenarios.subscribe();
  const { merchant, item, fee } = scenario.shop;
  const dearer = await createFee(scenarios.app, merchant, item.id, { amount: '29.99', description: 'Dearer' });
  const change = { kind: 'switch', accessFeeId: dearer.id, mode: 'now' } as const;
  const atMs = Date.now();
  await storeChange(scenario.id, change, atMs, { isUnsent: true });
  await loseRun(scenarios, scenario);
  await until(async () => (await feeOf(scenario)) === dearer.id);
  await until(() => isDecided(scenario));
  expect((await scenario.request('switch', { access_fee_id: fee.id, mode: 'now' })).status).toBe(200);
  const { access_fee_id: plan, balance } = await scenario.row();
  expect([plan, balance > 0]).toEqual([fee.id, true]);
  const charges = await chargesOf(scenarios.app, scenario.id);

  // The lost run had no time to delete the request from the row.
  await storeChange(scenario.id, change, atMs, { isUnsent: true });
  await loseRun(scenarios, scenario);
  await until(() => isDecided(scenario));
  expect(await scenario.row()).toMatchObject({ access_fee_id: fee.id, balance });
  expect(await chargesOf(scenarios.app, scenario.id)).toEqual(charges);
});

test('access.revoked: a revocation records the period that a lost run has charged', async () => {
  const scenario = await scenarios.subscribe();
  const { cardProvider } = await import('../../src/adapters/cardProviders/index.js');
  const provider = { ...cardProvider };
  let isCharged = false;
  let cutOff = (): void => undefined;
  const held = new Promise<void>((resolve) => (cutOff = resolve));
  cardProvider.charge = async (request) => {
    await provider.charge(request);
    isCharged = true;
    await held;
    throw new Error('the worker is cut off');
  };
  await passDays(scenarios.app, scenario.shop.merchant, 32);
  await until(() => isCharged);
  const { workflow } = scenarios.temporal.client;
  const workflowId = `subscription-${scenario.id}`;
  await workflow.getHandle(workflowId).terminate();
  Object.assign(cardProvider, provider);
  cutOff();
  const text = 'SELECT id::int FROM subscriptions WHERE token = $1';
  const { rows } = await scenarios.app.pool.query<{ id: number }>(text, [scenario.id]);
  await workflow.signalWithStart('subscription', {
    workflowId,
    taskQueue: process.env['TEMPORAL_TASK_QUEUE'] ?? '',
    args: [{ subscriptionId: rows[0]?.id }],
    signal: 'revoked',
    signalArgs: [{ id: 'refund:1', atMs: Date.now(), reason: 'refund' }],
  });
  await until(async () => (await scenario.row()).status === 'revoked');
  expect((await chargesOf(scenarios.app, scenario.id)).map(({ status }) => status)).toEqual(['paid', 'paid']);
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(2);
});
