import { randomUUID } from 'node:crypto';
import { call, requestChange } from '../../support/client';
import { cards, createFee, createItem } from '../../support/factories';
import { chargesOf } from '../../support/ledger';
import { startScenarios, type SubscriptionScenario, type Scenarios } from '../../support/scenarios';
import { until } from '../../support/until';

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios({ isIdle: true })));

afterAll(() => scenarios.stop());

/** Sends the same request each time. */
function keyed({ shop, id }: SubscriptionScenario, fields: Record<string, unknown>) {
  const options = { token: shop.consumer.token, headers: { 'Idempotency-Key': randomUUID() } };
  return (other = {}) => call(scenarios.app, 'POST', `/subscriptions/${id}/switch`, { ...fields, ...other }, options);
}

let waiting: { scenario: SubscriptionScenario; feeId: number; send: ReturnType<typeof keyed> };

test('202: the run does not answer in time; the same key asks again and accepts no other request', async () => {
  const scenario = await scenarios.subscribe();
  const { id: feeId } = await createFee(scenarios.app, scenario.shop.merchant, scenario.shop.item.id, {
    amount: '19.99',
  });
  const send = keyed(scenario, { access_fee_id: feeId });
  const url = `/subscriptions/${scenario.id}`;
  for (const { status, body, headers } of [await send(), await send()]) {
    expect([status, body]).toMatchObject([202, { code: 202, subscription_id: scenario.id, status: 'pending', url }]);
    expect([headers.get('location'), headers.get('idempotency-replayed')]).toEqual([url, null]);
  }
  expect(await send({ mode: 'now' })).toMatchObject({ status: 422, body: { error: 'idempotency_key_reused' } });
  waiting = { scenario, feeId, send };
});

describe('with a worker', () => {
  let working: Scenarios;

  beforeAll(async () => (working = await scenarios.startWorker()));

  const feeOf = async (scenario: SubscriptionScenario, fields: Record<string, unknown> = {}) =>
    (await createFee(scenarios.app, scenario.shop.merchant, scenario.shop.item.id, { amount: '19.99', ...fields })).id;

  test('200: a pending change happens once, and its key returns it', async () => {
    const { scenario, feeId, send } = waiting;
    const first = await until(async () => {
      const reply = await send();
      return reply.status !== 202 && reply;
    });
    expect([first.status, first.body]).toMatchObject([200, { message: 'The plan is changed' }]);
    const again = await send();
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
    expect(await scenario.row()).toMatchObject({ access_fee_id: feeId });
    expect((await chargesOf(working.app, scenario.id)).map(({ status }) => status)).toEqual(['paid', 'paid']);
  });

  test('404 access_fee_not_found: another merchant’s fee', async () => {
    const [scenario, other] = [await working.subscribe(), await working.subscribe()];
    const { status, body } = await scenario.request('switch', { access_fee_id: other.shop.fee.id });
    expect([status, body]).toMatchObject([404, { error: 'access_fee_not_found' }]);
  });

  test('404 subscription_not_found: another consumer’s', async () => {
    const [scenario, other] = [await working.subscribe(), await working.subscribe()];
    const fields = { access_fee_id: await feeOf(scenario) };
    expect((await scenario.send('POST', `/subscriptions/${other.id}/switch`, fields)).status).toBe(404);
  });

  test('409 subscription_state: where the item’s plans cannot be changed', async () => {
    const scenario = await working.subscribe();
    const fields = { access_fee_id: await feeOf(scenario) };
    await scenarios.app.pool.query('UPDATE items SET plan_switch_enabled = false WHERE id = $1', [
      scenario.shop.item.id,
    ]);
    expect(await scenario.request('switch', fields)).toMatchObject({
      status: 409,
      body: { error: 'subscription_state' },
    });
  });

  test('409 subscription_state: one that would be charged and has no card', async () => {
    const scenario = await working.subscribe();
    const fields = { access_fee_id: await feeOf(scenario) };
    await scenarios.app.pool.query('UPDATE subscriptions SET card_id = NULL WHERE token = $1', [scenario.id]);
    const body = { error: 'subscription_state', explain: 'A card is needed: set a default card first.' };
    expect(await scenario.request('switch', fields)).toMatchObject({ status: 409, body });
  });

  test('422 invalid_input: the same fee, another currency, what is no subscription, another item', async () => {
    const scenario = await working.subscribe();
    const item = await createItem(scenarios.app, scenario.shop.merchant);
    const bad = [
      scenario.shop.fee.id,
      await feeOf(scenario, { currency: 'USD' }),
      await feeOf(scenario, { access_type: 'ppv' }),
      (await createFee(scenarios.app, scenario.shop.merchant, item.id)).id,
    ];
    for (const access_fee_id of bad) {
      const { status, body } = await scenario.request('switch', { access_fee_id });
      expect([status, body]).toMatchObject([422, { errors: { access_fee_id: expect.any(String) as unknown } }]);
    }
  });

  test.each(['/subscriptions/{id}/switch', '/v2/subscriptions/stripe:switch'])('200: %s', async (path) => {
    const scenario = await working.subscribe();
    const fields = { access_fee_id: await feeOf(scenario), inplayer_token: scenario.id };
    const changed = await requestChange(
      working.app,
      'POST',
      path.replace('{id}', scenario.id),
      fields,
      scenario.shop.consumer,
    );
    expect(changed).toMatchObject({ status: 200, body: { message: 'The plan is changed' } });
    expect(await scenario.row()).toMatchObject({ access_fee_id: fields.access_fee_id });
  });

  test('402 payment_failed: the plan stays as it is', async () => {
    const scenario = await working.subscribe(cards.declinedAtRenewal);
    expect((await scenario.request('switch', { access_fee_id: await feeOf(scenario) })).status).toBe(402);
    expect(await scenario.row()).toMatchObject({ access_fee_id: scenario.shop.fee.id });
  });
});
