import { cards } from '../../support/factories';
import { startScenarios, type Scenarios } from '../../support/scenarios';

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios({ isIdle: true })));

afterAll(() => scenarios.stop());

test('202: the run does not answer in time; the change follows, and the answer has its Location', async () => {
  const scenario = await scenarios.subscribe();
  const { status, body, headers } = await scenario.request('resume');
  const url = `/subscriptions/${scenario.id}`;
  expect([status, body]).toMatchObject([202, { code: 202, subscription_id: scenario.id, status: 'pending', url }]);
  expect(headers.get('location')).toBe(url);
});

describe('with a worker', () => {
  let working: Scenarios;

  beforeAll(async () => (working = await scenarios.startWorker()));

  test('200: a cancellation is taken back', async () => {
    const scenario = await working.subscribe();
    await scenario.send('DELETE', `/subscriptions/${scenario.id}`);
    expect(await scenario.request('resume')).toMatchObject({
      status: 200,
      body: { message: 'The subscription continues' },
    });
    expect(await scenario.row()).toMatchObject({ cancel_at_period_end: false });
  });

  test('402 payment_failed: a pause that nobody pays to end', async () => {
    const scenario = await working.subscribe(cards.declinedAtRenewal);
    await scenario.request('pause');
    await scenario.advanceDays(33);
    const { status, body } = await scenario.request('resume');
    expect([status, body]).toMatchObject([402, { error: 'payment_failed', explain: 'Your card was declined.' }]);
  });

  test('404 subscription_not_found: another consumer’s', async () => {
    const [scenario, other] = [await working.subscribe(), await working.subscribe()];
    expect((await scenario.send('POST', `/subscriptions/${other.id}/resume`)).status).toBe(404);
  });

  test('409 subscription_state: one that would be charged and has no card', async () => {
    const scenario = await working.subscribe();
    await scenario.send('DELETE', `/subscriptions/${scenario.id}`);
    await scenarios.app.pool.query('UPDATE subscriptions SET card_id = NULL WHERE token = $1', [scenario.id]);
    const body = { error: 'subscription_state', explain: 'A card is needed: set a default card first.' };
    expect(await scenario.request('resume')).toMatchObject({ status: 409, body });
  });

  test('409 subscription_state: one that simply runs', async () => {
    const scenario = await working.subscribe();
    expect(await scenario.request('resume')).toMatchObject({ status: 409, body: { error: 'subscription_state' } });
  });
});
