import { randomUUID } from 'node:crypto';
import { chargesOf, eventsOf, takenFor } from '../support/ledger';
import { startScenarios, type SubscriptionScenario, type Scenarios } from '../support/scenarios';

/** A subscription that is longer than one run of its workflow. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

const handleOf = (scenario: SubscriptionScenario) =>
  scenarios.temporal.client.workflow.getHandle(`subscription-${scenario.id}`);

test('subscribe.renewed: it goes on in a new run, which knows what was asked of the old one', async () => {
  const scenario = await scenarios.subscribe(undefined, { fee: { quantity: 1, period: 'hour', amount: '0.50' } });
  const firstRun = (await handleOf(scenario).describe()).runId;
  const id = `pause:${randomUUID()}`;
  const pause = () =>
    handleOf(scenario).executeUpdate('pause', {
      updateId: id,
      args: [{ id, kind: 'pause', atMs: Date.now(), aheadMs: 0 }],
    });
  expect(await pause()).toEqual({ done: true, state: 'active' });
  await scenario.request('resume');

  const clock = await scenario.advanceDays(3);
  const run = await handleOf(scenario).describe();
  expect(run.runId).not.toBe(firstRun);
  expect(run.searchAttributes['PaywallState']).toEqual(['active']);
  expect(run.searchAttributes['PaywallMerchant']).toEqual([scenario.shop.merchant.id]);
  expect(await pause()).toEqual({ done: true, state: 'active' });
  expect(await scenario.row()).toMatchObject({ status: 'active', pauses_at_period_end: false });

  expect(clock.status).toBe('active');
  const charges = await chargesOf(scenarios.app, scenario.id);
  expect(charges).toHaveLength(3 * 24 + 1);
  expect(charges.map(({ cycle }) => cycle)).toEqual(charges.map((_, index) => index + 1));
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(charges.length);
  const renewed = (await eventsOf(scenarios.app, scenario.id)).filter((type) => type === 'subscribe.renewed');
  expect(renewed).toHaveLength(charges.length - 1);
});
