import { randomUUID } from 'node:crypto';
import { call } from '../support/client';
import { changeCardOutcome, startScenarios, type SubscriptionScenario, type Scenarios } from '../support/scenarios';
import { passDays } from '../support/testClock';
import { until } from '../support/until';

/** A new period has begun, and its charge is at the provider. The run knows neither before the provider answers. */

let scenarios: Scenarios;

/** Lets the provider answer. */
let letGo = (): void => undefined;

beforeAll(async () => (scenarios = await startScenarios()));
afterEach(() => letGo());
afterAll(() => scenarios.stop());

/** A renewal whose charge stays at the provider until `letGo` is called. */
async function renewing(): Promise<SubscriptionScenario> {
  const scenario = await scenarios.subscribe();
  const { cardProvider } = await import('../../src/adapters/cardProviders/index.js');
  const provider = { ...cardProvider };
  let isReached = false;
  const held = new Promise<void>((resolve) => {
    letGo = () => {
      Object.assign(cardProvider, provider);
      resolve();
    };
  });
  cardProvider.charge = async (request) => {
    isReached = true;
    await held;
    return provider.charge(request);
  };
  await passDays(scenarios.app, scenario.shop.merchant, 32);
  await until(() => isReached);
  return scenario;
}

/** A change with a key of its own. It can be sent again. */
function changeOf({ id, shop }: SubscriptionScenario, what: string) {
  const options = { ...shop.consumer, headers: { 'Idempotency-Key': randomUUID() } };
  return () => call(scenarios.app, 'POST', `/subscriptions/${id}/${what}`, {}, options);
}

const stored = async ({ id }: SubscriptionScenario) => {
  const text = 'SELECT requests FROM subscriptions WHERE token = $1';
  return (await scenarios.app.pool.query<object>(text, [id])).rows;
};

test('409 subscription_state: a change that the row does not allow is refused, although the run is busy', async () => {
  const scenario = await renewing();
  for (const what of ['resume', 'retry'])
    expect(await changeOf(scenario, what)()).toMatchObject({ status: 409, body: { error: 'subscription_state' } });
  expect(await stored(scenario)).toEqual([{ requests: [] }]);
  letGo();
  expect(await scenario.advanceDays(0.001)).toMatchObject({ status: 'active' });
});

test('409 subscription_state: a pending change is refused because the charge fails, and waits no longer', async () => {
  const scenario = await renewing();
  const pause = changeOf(scenario, 'pause');
  expect(await pause()).toMatchObject({ status: 202, body: { status: 'pending' } });
  await changeCardOutcome(scenarios.app, scenario, 'declined_at_renewal');
  letGo();
  await until(async () => (await scenario.row()).status === 'past_due');
  const answer = await until(async () => {
    const reply = await pause();
    return reply.status !== 202 && reply;
  });
  expect(answer).toMatchObject({ status: 409, body: { error: 'subscription_state' } });
  expect(await stored(scenario)).toEqual([{ requests: [] }]);
});
