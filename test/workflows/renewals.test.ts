import { call } from '../support/client';
import { cards } from '../support/factories';
import { chargesOf, eventsOf, mailsTo, takenFor } from '../support/ledger';
import { startScenarios, type Scenarios } from '../support/scenarios';
import { until } from '../support/until';

/** Periods follow each other on the merchant's own time. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

test('subscribe.renewed: a year ahead is twelve charges, each on its own day', async () => {
  const scenario = await scenarios.subscribe();
  const { current_period_end: firstEnd } = await scenario.row();
  const row = await scenario.advanceDays(364);
  const charges = await chargesOf(scenarios.app, scenario.id);
  expect(charges.map(({ cycle }) => cycle)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  expect(Math.floor((charges[1]?.created.getTime() ?? 0) / 1000)).toBe(firstEnd);
  const days = charges.map(({ settled }) => settled?.toISOString() ?? '');
  expect(days).toEqual([...new Set(days)].sort());
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(12);
  expect(row).toMatchObject({ status: 'active', action_type: 'recurrent' });
  const renewed = (await eventsOf(scenarios.app, scenario.id)).filter((type) => type === 'subscribe.renewed');
  expect(renewed).toHaveLength(11);
  expect(await mailsTo(scenarios.app, scenario.shop.consumer.id)).toEqual(charges.map(() => 'receipt'));
  const access = await scenario.send('GET', `/items/${scenario.shop.item.id}/access`);
  expect(access).toMatchObject({ status: 200, body: { expires_at: row.current_period_end + 3600 } });
});

test('subscribe.renewed: its event tells the merchant’s time', async () => {
  const scenario = await scenarios.subscribe();
  const { current_period_end: firstEnd } = await scenario.row();
  await scenario.advanceDays(40);
  type History = { collection: { type: string; timestamp: number; resource: Record<string, unknown> }[] };
  const { body } = await call<History>(
    scenarios.app,
    'GET',
    '/notifications/history',
    undefined,
    scenario.shop.consumer,
  );
  const renewed = body.collection.find(({ type }) => type === 'subscribe.renewed');
  expect(renewed).toMatchObject({
    timestamp: firstEnd,
    resource: { timestamp: firstEnd, amount: '9.99', status: 'renewed' },
  });
});

test('subscribe.renewed: an hour is a period too, and a lost answer charges once', async () => {
  const scenario = await scenarios.subscribe(cards.timeoutAfterCharging, { fee: { quantity: 8, period: 'hour' } });
  await scenario.advanceDays(1);
  expect(await chargesOf(scenarios.app, scenario.id)).toHaveLength(4);
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(4);
});

test('subscribe.renewed: a paid period that is shorter than the days of grace opens no more than itself', async () => {
  const scenario = await scenarios.subscribe(cards.success, { fee: { quantity: 1, period: 'hour' } });
  const row = await scenario.advanceDays(1.5 / 24);
  const text = `SELECT floor(extract(epoch FROM expires_at))::int AS ends FROM accesses WHERE source = 'subscription' AND account_id = $1`;
  const ends = async () =>
    (await scenarios.app.pool.query<{ ends: number }>(text, [scenario.shop.consumer.id])).rows[0]?.ends;
  await until(async () => (await ends()) === row.current_period_end + 3600);
});

test('subscribe.renewed: the record says when it changed by the merchant’s clock', async () => {
  const scenario = await scenarios.subscribe();
  const { created_at: created, updated_at: updated } = await scenario.advanceDays(31);
  expect(updated - created).toBeGreaterThan(27 * 86_400);
});
