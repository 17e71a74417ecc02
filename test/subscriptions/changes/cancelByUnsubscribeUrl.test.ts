import { startScenarios, type Scenarios } from '../../support/scenarios';

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

test('200: the url of the record turns renewal off, and may be opened twice', async () => {
  const scenario = await scenarios.subscribe();
  const { unsubscribe_url: url } = await scenario.row();
  const path = new URL(url).pathname;
  expect(path).toBe(`/subscriptions/cancel/${scenario.id}`);
  const { status, body } = await scenario.send('GET', path);
  expect([status, body]).toMatchObject([
    200,
    { code: 200, subscription: scenario.id, operation: 'unsubscribe', description: 'Monthly pass', status: 'pending' },
  ]);
  expect(await scenario.row()).toMatchObject({ action_type: 'canceled', next_rebill_date: 0 });
  expect((await scenario.send('GET', path)).status).toBe(200);
});

test('404 subscription_not_found: another consumer’s', async () => {
  const [scenario, other] = [await scenarios.subscribe(), await scenarios.subscribe()];
  expect(await scenario.send('GET', `/subscriptions/cancel/${other.id}`)).toMatchObject({
    status: 404,
    body: { error: 'subscription_not_found' },
  });
});

test('409 subscription_state: one that has ended', async () => {
  const scenario = await scenarios.subscribe();
  await scenario.send('DELETE', `/subscriptions/${scenario.id}`, { at: 'now' });
  expect(await scenario.send('GET', `/subscriptions/cancel/${scenario.id}`)).toMatchObject({
    status: 409,
    body: { error: 'subscription_state' },
  });
});
