import { createFee, createItem } from '../../support/factories';
import { startScenarios, type SubscriptionScenario, type Scenarios } from '../../support/scenarios';

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

const feeOf = async (scenario: SubscriptionScenario, fields: Record<string, unknown> = {}) =>
  (await createFee(scenarios.app, scenario.shop.merchant, scenario.shop.item.id, { amount: '19.99', ...fields })).id;

test('200: the lines, what is charged now, and when; nothing is changed', async () => {
  const scenario = await scenarios.subscribe();
  const access_fee_id = await feeOf(scenario, { amount: '4.99', description: 'Basic' });
  const now = await scenario.request('switch:preview', { access_fee_id, mode: 'now' });
  expect(now).toMatchObject({ status: 200, body: { mode: 'now', total: 0, formatted_total: '€0.00', balance: 5 } });
  const later = await scenario.request('switch:preview', { access_fee_id });
  const { current_period_end: date } = await scenario.row();
  expect(later.body).toMatchObject({ mode: 'next_period', lines: [], total: 0, date });
  expect(await scenario.row()).toMatchObject({ access_fee_id: scenario.shop.fee.id, pending_access_fee_id: 0 });
});

test('404 access_fee_not_found: another merchant’s fee', async () => {
  const [scenario, other] = [await scenarios.subscribe(), await scenarios.subscribe()];
  const { status, body } = await scenario.request('switch:preview', { access_fee_id: other.shop.fee.id });
  expect([status, body]).toMatchObject([404, { error: 'access_fee_not_found' }]);
});

test('404 subscription_not_found: another consumer’s', async () => {
  const [scenario, other] = [await scenarios.subscribe(), await scenarios.subscribe()];
  const fields = { access_fee_id: await feeOf(scenario) };
  expect((await scenario.send('POST', `/subscriptions/${other.id}/switch:preview`, fields)).status).toBe(404);
});

test('409 subscription_state: where the item’s plans cannot be changed', async () => {
  const scenario = await scenarios.subscribe();
  const fields = { access_fee_id: await feeOf(scenario) };
  await scenarios.app.pool.query('UPDATE items SET plan_switch_enabled = false WHERE id = $1', [scenario.shop.item.id]);
  expect(await scenario.request('switch:preview', fields)).toMatchObject({
    status: 409,
    body: { error: 'subscription_state' },
  });
});

test('422 invalid_input: the same fee, another currency, what is no subscription, another item', async () => {
  const scenario = await scenarios.subscribe();
  const item = await createItem(scenarios.app, scenario.shop.merchant);
  const bad = [
    scenario.shop.fee.id,
    await feeOf(scenario, { currency: 'USD' }),
    await feeOf(scenario, { access_type: 'ppv' }),
    (await createFee(scenarios.app, scenario.shop.merchant, item.id)).id,
  ];
  for (const access_fee_id of bad) {
    const { status, body } = await scenario.request('switch:preview', { access_fee_id });
    expect([status, body]).toMatchObject([422, { errors: { access_fee_id: expect.any(String) as unknown } }]);
  }
});
