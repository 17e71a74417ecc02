import { cards } from '../support/factories';
import { chargesOf, eventsOf } from '../support/ledger';
import { startScenarios, type Scenarios, type SubscriptionScenario } from '../support/scenarios';
import { storeChange } from '../support/storedChanges';
import { until } from '../support/until';
import { type Change } from '../../workflows/messages';

/** Changes that only the row knows when a step is due, because Temporal was away. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

const cancelNow: Change = { kind: 'cancel', at: 'now', reason: 'moved' };

/** `afterDays`: the time of the change on the merchant's clock. */
const store = async ({ id }: SubscriptionScenario, change: Change, afterDays = 0) =>
  storeChange(id, change, Date.now() + afterDays * 86_400_000, { isUnsent: true });

const cancelAtEnd = async ({ id, send, row }: SubscriptionScenario) => {
  await send('DELETE', `/subscriptions/${id}`, {});
  await until(async () => (await row()).cancel_at_period_end);
};

const attemptsOf = async ({ id }: SubscriptionScenario) =>
  (await chargesOf(scenarios.app, id)).map(({ cycle, status }) => [cycle, status]);

test('subscribe.cancelled.success: a pause that was canceled in time does not end with a charge', async () => {
  const scenario = await scenarios.subscribe();
  const { current_period_end: endsAt } = await scenario.row();
  await scenario.request('pause', { resumes_at: endsAt + 10 * 86_400 });
  expect((await scenario.advanceDays(35)).status).toBe('paused');

  await store(scenario, cancelNow, 35);
  expect((await scenario.advanceDays(10)).status).toBe('canceled');
  expect(await attemptsOf(scenario)).toEqual([[1, 'paid']]);
});

test('subscribe.cancelled.success: a payment that failed is not tried again after a cancellation', async () => {
  const scenario = await scenarios.subscribe(cards.declinedAtRenewal);
  expect((await scenario.advanceDays(32)).status).toBe('past_due');
  const before = await attemptsOf(scenario);

  await store(scenario, cancelNow, 32);
  expect((await scenario.advanceDays(20)).status).toBe('canceled');
  expect(await attemptsOf(scenario)).toEqual(before);
});

test('subscribe.renewed: a cancellation that was taken back in time does not end the subscription', async () => {
  const scenario = await scenarios.subscribe();
  await cancelAtEnd(scenario);

  await store(scenario, { kind: 'resume' });
  expect((await scenario.advanceDays(32)).status).toBe('active');
  expect(await attemptsOf(scenario)).toEqual([
    [1, 'paid'],
    [2, 'paid'],
  ]);
});

test('subscribe.renewed: a pause that was taken back in time does not begin', async () => {
  const scenario = await scenarios.subscribe();
  await scenario.request('pause');

  await store(scenario, { kind: 'resume' });
  expect((await scenario.advanceDays(32)).status).toBe('active');
  expect(await eventsOf(scenarios.app, scenario.id)).not.toContain('access.revoked');
});

test('access.revoked: a cancellation that was taken back too late changes nothing', async () => {
  const scenario = await scenarios.subscribe();
  await cancelAtEnd(scenario);

  await store(scenario, { kind: 'resume' }, 32);
  expect((await scenario.advanceDays(32)).status).toBe('canceled');
});
