import { startScenarios, type Scenarios } from '../../support/scenarios';

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

const pathOf = async (scenario: Awaited<ReturnType<Scenarios['subscribe']>>) =>
  new URL((await scenario.row()).unsubscribe_url).pathname;

test('200: the url of the record turns renewal off, and may be opened twice', async () => {
  const scenario = await scenarios.subscribe();
  const path = await pathOf(scenario);
  expect(path).toMatch(new RegExp(`^/subscriptions/cancel/${scenario.id}\\.[\\da-f]{32}$`));
  const { status, body } = await scenario.send('GET', path);
  expect([status, body]).toMatchObject([
    200,
    { code: 200, subscription: scenario.id, operation: 'unsubscribe', description: 'Monthly pass', status: 'pending' },
  ]);
  expect(await scenario.row()).toMatchObject({ action_type: 'canceled', next_rebill_date: 0 });
  expect((await scenario.send('GET', path)).status).toBe(200);
});

test('404 subscription_not_found: another consumer’s, and the id of one’s own, which is no secret', async () => {
  const [scenario, other] = [await scenarios.subscribe(), await scenarios.subscribe()];
  const [own, theirs] = [await pathOf(scenario), await pathOf(other)];
  const mixed = own.replace(/\..*/, theirs.replace(/.*\./, '.'));
  for (const path of [theirs, mixed, `/subscriptions/cancel/${scenario.id}`])
    expect(await scenario.send('GET', path)).toMatchObject({ status: 404, body: { error: 'subscription_not_found' } });
});

test('409 subscription_state: one that has ended', async () => {
  const scenario = await scenarios.subscribe();
  const path = await pathOf(scenario);
  await scenario.cancel({ at: 'now' });
  expect(await scenario.send('GET', path)).toMatchObject({
    status: 409,
    body: { error: 'subscription_state' },
  });
});
