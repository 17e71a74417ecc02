import { call } from '../../support/client';
import { startScenarios, type Scenarios } from '../../support/scenarios';

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

const path = (id: string) => `/subscriptions/${id}`;

test('200: at the period’s end, by the merchant too', async () => {
  const scenario = await scenarios.subscribe();
  const { status } = await scenario.cancel({}, scenario.shop.merchant);
  expect(status).toBe(200);
  expect(await scenario.row()).toMatchObject({ status: 'active', cancel_at_period_end: true });
});

test('200: now, also after it was canceled at the period’s end', async () => {
  const scenario = await scenarios.subscribe();
  await scenario.cancel();
  expect((await scenario.cancel({ at: 'now' })).status).toBe(200);
  expect(await scenario.row()).toMatchObject({ status: 'canceled' });
});

test('200: one Idempotency-Key is one cancellation', async () => {
  const scenario = await scenarios.subscribe();
  const headers = { 'Idempotency-Key': 'k'.repeat(40) };
  const send = () =>
    call(scenarios.app, 'DELETE', path(scenario.id), {}, { token: scenario.shop.consumer.token, headers });
  expect((await send()).status).toBe(200);
  await scenario.request('resume');
  expect((await send()).status).toBe(200);
  expect(await scenario.row()).toMatchObject({ cancel_at_period_end: false });
});

test('404 subscription_not_found: another consumer’s, and another merchant’s', async () => {
  const [scenario, other] = [await scenarios.subscribe(), await scenarios.subscribe()];
  for (const caller of [scenario.shop.consumer, scenario.shop.merchant])
    expect(await call(scenarios.app, 'DELETE', path(other.id), {}, caller)).toMatchObject({
      status: 404,
      body: { error: 'subscription_not_found' },
    });
});

test('409 subscription_state: two cancellations at once end the subscription once, and one is refused', async () => {
  const scenario = await scenarios.subscribe();
  const replies = await Promise.all([1, 2].map(() => scenario.send('DELETE', path(scenario.id), { at: 'now' })));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await scenario.row()).toMatchObject({ status: 'canceled' });
});

test('409 subscription_state: canceled already', async () => {
  const scenario = await scenarios.subscribe();
  await scenario.cancel();
  const { status, body } = await scenario.cancel();
  expect([status, body]).toMatchObject([409, { error: 'subscription_state' }]);
});

test('422 invalid_input: some other time', async () => {
  const scenario = await scenarios.subscribe();
  const { body } = await scenario.send('DELETE', path(scenario.id), { at: 'tomorrow' });
  expect(body).toMatchObject({ code: 422, errors: { at: 'The at must be one of period_end, now.' } });
});
