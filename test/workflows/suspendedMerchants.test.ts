import { type Caller } from '../../src/kit/auth';
import { cards } from '../support/factories';
import { takenFor } from '../support/ledger';
import { loseRun } from '../support/lostRuns';
import { putInState } from '../support/operators';
import { connectAccount, type SubscriptionScenario, startScenarios, type Scenarios } from '../support/scenarios';
import { catchesUp } from '../support/testClock';

/** The operator has suspended the merchant: its customers cannot use what they would pay for. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));
afterAll(() => scenarios.stop());

/** Moves the clock of a merchant whose sessions have ended. */
async function pass({ id, shop: { merchant } }: SubscriptionScenario, days: number): Promise<void> {
  const { moveTestClock } = await import('../../src/testClock/testClock.js');
  const caller = { merchantId: merchant.id, accountId: merchant.id } as Caller;
  const clock = await moveTestClock(caller, { advance: Math.round(days * 86_400), to: undefined });
  await catchesUp(scenarios.temporal.client, id, clock);
}

const stateOf = async ({ id }: SubscriptionScenario) => {
  const { rows } = await scenarios.app.pool.query<{ state: string }>(
    'SELECT state FROM subscriptions WHERE token = $1',
    [id],
  );
  return rows[0]?.state;
};

async function suspendedAtRenewal(): Promise<SubscriptionScenario & { firstEnd: number }> {
  const scenario = await scenarios.subscribe(cards.success);
  const { current_period_end: firstEnd } = await scenario.row();
  await putInState(scenarios.app, scenario.shop.merchant, 'suspended');
  await pass(scenario, (firstEnd - Date.now() / 1000) / 86_400 + 1);
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(1);
  return { ...scenario, firstEnd };
}

const resume = ({ shop }: SubscriptionScenario) =>
  scenarios.app.pool.query('DELETE FROM merchant_states WHERE merchant_id = $1', [shop.merchant.id]);

test('200: a renewal waits for the end of a short suspension, and is charged once for its own period', async () => {
  const scenario = await suspendedAtRenewal();
  expect(await stateOf(scenario)).toBe('active');
  await resume(scenario);
  const paid = await scenario.advanceDays(0.1);
  expect(paid).toMatchObject({ status: 'active', current_period_start: scenario.firstEnd });
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(2);
});

test('200: after a long suspension, nobody pays for the time of it: a new period begins with the charge', async () => {
  const scenario = await suspendedAtRenewal();
  await pass(scenario, 40);
  expect(await stateOf(scenario)).toBe('on_hold');
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(1);
  await resume(scenario);
  const paid = await scenario.advanceDays(0.1);
  expect(paid.status).toBe('active');
  expect(paid.current_period_start).toBeGreaterThan(scenario.firstEnd + 40 * 86_400);
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(2);
});

test.each([
  ['a run that begins from the row charges nothing during the suspension', true],
  ['a run that begins from the row does not dun the payer if its account is not connected either', false],
])('200: %s', async (_title, isConnected) => {
  const scenario = await suspendedAtRenewal();
  await connectAccount(scenarios.app, scenario, isConnected);
  await loseRun(scenarios, scenario);
  await pass(scenario, 1);
  expect(await stateOf(scenario)).toBe('active');
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(1);
  await connectAccount(scenarios.app, scenario, true);
  await resume(scenario);
  expect(await scenario.advanceDays(0.1)).toMatchObject({ status: 'active' });
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(2);
});
