import { startScenarios, type Scenarios } from '../../support/scenarios';

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

const path = (id: string, token: string) => `/subscriptions/${id}/cancel/${token}`;

test('200: renewal is turned off', async () => {
  const scenario = await scenarios.subscribe();
  const { cancel_token: token } = await scenario.row();
  expect(await scenario.send('GET', path(scenario.id, token))).toMatchObject({
    status: 200,
    body: { status: 'pending' },
  });
  expect(await scenario.row()).toMatchObject({ cancel_at_period_end: true });
});

test('404 subscription_not_found: with another token, or with the id', async () => {
  const [scenario, other] = [await scenarios.subscribe(), await scenarios.subscribe()];
  for (const token of [(await other.row()).cancel_token, scenario.id]) {
    const { status, body } = await scenario.send('GET', path(scenario.id, token));
    expect([status, body]).toMatchObject([404, { error: 'subscription_not_found' }]);
  }
  expect(await scenario.row()).toMatchObject({ cancel_at_period_end: false });
});

test('409 subscription_state: one that has ended', async () => {
  const scenario = await scenarios.subscribe();
  const { cancel_token: token } = await scenario.row();
  await scenario.send('DELETE', `/subscriptions/${scenario.id}`, { at: 'now' });
  const { status, body } = await scenario.send('GET', path(scenario.id, token));
  expect([status, body]).toMatchObject([409, { error: 'subscription_state' }]);
});
