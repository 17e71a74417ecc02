import { createFee } from '../support/factories';
import { chargesOf } from '../support/ledger';
import { loseRun } from '../support/lostRuns';
import { startScenarios, type SubscriptionScenario, type Scenarios } from '../support/scenarios';
import { storeChange } from '../support/storedChanges';
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
