import { startScenarios, type Scenarios } from '../../support/scenarios';

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios({ isIdle: true })));

afterAll(() => scenarios.stop());

test('202: the run does not answer in time; the change follows, and the answer has its Location', async () => {
  const scenario = await scenarios.subscribe();
  const { status, body, headers } = await scenario.request('pause');
  const url = `/subscriptions/${scenario.id}`;
  expect([status, body]).toMatchObject([202, { code: 202, subscription_id: scenario.id, status: 'pending', url }]);
  expect(headers.get('location')).toBe(url);
});

describe('with a worker', () => {
  let working: Scenarios;

  beforeAll(async () => (working = await scenarios.startWorker()));

  test('200: from the end of the paid period on', async () => {
    const scenario = await working.subscribe();
    expect((await scenario.request('pause')).status).toBe(200);
    expect(await scenario.row()).toMatchObject({ status: 'active', pauses_at_period_end: true, resumes_at: 0 });
  });

  test('404 subscription_not_found: another consumer’s', async () => {
    const [scenario, other] = [await working.subscribe(), await working.subscribe()];
    expect((await scenario.send('POST', `/subscriptions/${other.id}/pause`)).status).toBe(404);
  });

  test('409 subscription_state: not while it is canceled, and not twice', async () => {
    const scenario = await working.subscribe();
    await scenario.request('pause');
    expect(await scenario.request('pause')).toMatchObject({ status: 409, body: { error: 'subscription_state' } });
    await scenario.request('resume');
    await scenario.send('DELETE', `/subscriptions/${scenario.id}`);
    expect((await scenario.request('pause')).status).toBe(409);
  });

  test('422 invalid_input: a pause that ends before it begins', async () => {
    const scenario = await working.subscribe();
    const { status, body } = await scenario.request('pause', { resumes_at: Math.floor(Date.now() / 1000) + 60 });
    expect([status, body]).toMatchObject([422, { errors: { resumes_at: expect.any(String) as unknown } }]);
  });

  test('422 invalid_input: a pause that ends later than clients can read', async () => {
    const scenario = await working.subscribe();
    const last = 0x7fffffff;
    const { status, body } = await scenario.request('pause', { resumes_at: last + 1 });
    expect([status, body]).toMatchObject([422, { errors: { resumes_at: expect.stringContaining('2038') as unknown } }]);
    expect((await scenario.request('pause', { resumes_at: last })).status).toBe(200);
  });
});
