import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { cards } from '../../support/factories';
import { daySeconds, extend } from '../../support/extensions';
import { auditOf, createFollower } from '../../support/followers';
import { chargesOf, eventsOf } from '../../support/ledger';
import { startScenarios, type Scenarios, type SubscriptionScenario } from '../../support/scenarios';

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios({ isIdle: true })));

afterAll(() => scenarios.stop());

const ask = (scenario: SubscriptionScenario, options = {}) => extend(scenarios.app, scenario, options);
const inDays = (from: number, to: number) => (to - from) / daySeconds;

async function accessEnd({ shop, send }: SubscriptionScenario): Promise<number> {
  const { body } = await send('GET', `/items/${shop.item.id}/access`);
  return (body as { expires_at: number }).expires_at;
}

test('202: the run does not answer in time; the answer has its Location', async () => {
  const idle = await scenarios.subscribe();
  const url = `/subscriptions/${idle.id}`;
  const { status, body, headers } = await call(scenarios.app, 'POST', `${url}/extend`, { days: 7 }, idle.shop.merchant);
  expect([status, body]).toMatchObject([202, { code: 202, subscription_id: idle.id, status: 'pending', url }]);
  expect(headers.get('location')).toBe(url);
});

describe('with a worker', () => {
  let working: Scenarios;

  beforeAll(async () => (working = await scenarios.startWorker()));

  test('200: the period, its access and the next charge move, nothing is charged, and it is told and logged', async () => {
    const scenario = await working.subscribe();
    const [before, open] = [await scenario.row(), await accessEnd(scenario)];
    const { status, body } = await ask(scenario);
    expect([status, body]).toMatchObject([200, { message: 'The subscription is extended' }]);
    const after = await scenario.row();
    expect(inDays(before.current_period_end, after.current_period_end)).toBe(7);
    expect(inDays(before.next_billing_date, after.next_billing_date)).toBe(7);
    expect(inDays(open, await accessEnd(scenario))).toBe(7);
    expect(await chargesOf(working.app, scenario.id)).toHaveLength(1);
    expect((await eventsOf(working.app, scenario.id)).at(-1)).toBe('subscribe.updated');
    const [entry] = await auditOf(working.app, scenario.shop.merchant);
    expect(entry).toMatchObject({ action: 'subscription.extend', object_id: scenario.id });
  });

  test.each([1, 365])('200: by %i days', async (days) => {
    const scenario = await working.subscribe();
    const before = await scenario.row();
    expect((await ask(scenario, { days })).status).toBe(200);
    expect(inDays(before.current_period_end, (await scenario.row()).current_period_end)).toBe(days);
  });

  test('200: a trial ends later, and so does its first charge', async () => {
    const scenario = await working.subscribe(cards.success, { trial: [7, 'day'] });
    const before = await scenario.row();
    expect((await ask(scenario)).status).toBe(200);
    const after = await scenario.row();
    expect(inDays(before.trial_end, after.trial_end)).toBe(7);
    expect(after.current_period_end).toBe(after.trial_end);
    expect(await scenario.advanceDays(10)).toMatchObject({ status: 'trialing' });
    expect(await scenario.advanceDays(5)).toMatchObject({ status: 'active', current_period_start: after.trial_end });
  });

  test('200: one that does not renew ends later, without a charge', async () => {
    const scenario = await working.subscribe();
    await scenario.send('DELETE', `/subscriptions/${scenario.id}`);
    expect((await ask(scenario)).status).toBe(200);
    expect(await scenario.advanceDays(33)).toMatchObject({ status: 'active', cancel_at_period_end: true });
    expect(await scenario.hasAccess()).toBe(true);
    expect(await scenario.advanceDays(7)).toMatchObject({ status: 'canceled' });
    expect(await scenario.hasAccess()).toBe(false);
    expect(await chargesOf(working.app, scenario.id)).toHaveLength(1);
  });

  test('200: a planned pause begins and ends later', async () => {
    const scenario = await working.subscribe();
    const { current_period_end: endsAt } = await scenario.row();
    await scenario.request('pause', { resumes_at: endsAt + 3 * daySeconds });
    await ask(scenario);
    const after = await scenario.row();
    expect([after.current_period_end, after.resumes_at]).toEqual([endsAt + 7 * daySeconds, endsAt + 10 * daySeconds]);
  });

  test('200: one Idempotency-Key extends once, and each other request again', async () => {
    const scenario = await working.subscribe();
    const before = await scenario.row();
    const key = randomUUID();
    const replies = await Promise.all(Array.from({ length: 4 }, () => ask(scenario, { key })));
    expect(replies.map(({ status }) => status).sort()).toContain(200);
    expect((await ask(scenario, { key })).status).toBe(200);
    expect(inDays(before.current_period_end, (await scenario.row()).current_period_end)).toBe(7);
    const others = await Promise.all([ask(scenario), ask(scenario)]);
    expect(others.map(({ status }) => status)).toEqual([200, 200]);
    expect(inDays(before.current_period_end, (await scenario.row()).current_period_end)).toBe(21);
  });

  test('400 missing_parameter: no days; 422 invalid_input: no number of days from 1 to 365', async () => {
    const scenario = await working.subscribe();
    const before = await scenario.row();
    expect((await ask(scenario, { days: '' })).status).toBe(400);
    for (const days of [0, -1, 366, 1.5, 'week', '7d', 1e12])
      expect([days, await ask(scenario, { days })]).toMatchObject([
        days,
        { status: 422, body: { errors: { days: expect.any(String) as unknown } } },
      ]);
    expect(await scenario.row()).toEqual(before);
  });

  /** The last second that existing clients can read. */
  const last = 0x7fffffff;
  const endAt = ({ id }: SubscriptionScenario, seconds: number) => {
    const text = 'UPDATE subscriptions SET current_period_end = to_timestamp($2) WHERE token = $1';
    return working.app.pool.query(text, [id, seconds]);
  };

  test('422 invalid_input: an end that clients cannot read', async () => {
    const scenario = await working.subscribe();
    await endAt(scenario, last - 364 * daySeconds);
    const before = await scenario.row();
    const { status, body } = await ask(scenario, { days: 365 });
    expect([status, body]).toMatchObject([422, { errors: { days: expect.stringContaining('2038') as unknown } }]);
    expect(await scenario.row()).toEqual(before);
  });

  test.each([
    [15, 2],
    [16, 1],
  ])(
    '409 subscription_state: of two extensions by %i days at the same time, %i fit into the last 31 days of 32-bit times',
    async (days, fitting) => {
      const scenario = await working.subscribe();
      const endsAt = last - 31 * daySeconds;
      await endAt(scenario, endsAt);
      const replies = await Promise.all([ask(scenario, { days }), ask(scenario, { days })]);
      const done = replies.filter(({ status }) => status === 200);
      expect(done).toHaveLength(fitting);
      const explain = 'The days must end at the latest on 2038-01-19.';
      for (const { status, body } of replies.filter((reply) => !done.includes(reply))) {
        expect([409, 422]).toContain(status);
        expect(body).toMatchObject({ explain });
      }
      expect(inDays(endsAt, (await scenario.row()).current_period_end)).toBe(days * fitting);
    },
  );

  test('409 subscription_state: a planned pause that would end later than clients can read', async () => {
    const scenario = await working.subscribe();
    const before = await scenario.row();
    expect((await scenario.request('pause', { resumes_at: last - 7 * daySeconds })).status).toBe(200);
    expect(await ask(scenario, { days: 8 })).toMatchObject({
      status: 409,
      body: { error: 'subscription_state', explain: 'The days must end at the latest on 2038-01-19.' },
    });
    expect((await scenario.row()).current_period_end).toBe(before.current_period_end);
    expect((await ask(scenario, { days: 7 })).status).toBe(200);
    expect((await scenario.row()).resumes_at).toBe(last);
  });

  test('403 forbidden: the customer, and staff without the right', async () => {
    const scenario = await working.subscribe();
    const before = await scenario.row();
    const reader = await createFollower(working.app, scenario.shop.merchant, ['payments:read', 'items:write']);
    for (const caller of [scenario.shop.consumer, reader]) expect((await ask(scenario, { caller })).status).toBe(403);
    expect(await scenario.row()).toEqual(before);
  });

  test('404 subscription_not_found: another merchant’s, and none at all', async () => {
    const [scenario, other] = [await working.subscribe(), await working.subscribe()];
    const before = await other.row();
    for (const id of [other.id, 'S-unknown'])
      expect(await extend(working.app, { shop: scenario.shop, id })).toMatchObject({
        status: 404,
        body: { error: 'subscription_not_found' },
      });
    expect(await other.row()).toEqual(before);
  });

  test('409 subscription_state: ended, paused, and while its payment is open', async () => {
    const ended = await working.subscribe();
    await ended.send('DELETE', `/subscriptions/${ended.id}`, { at: 'now' });
    const paused = await working.subscribe();
    await paused.request('pause');
    await paused.advanceDays(35);
    const overdue = await working.subscribe(cards.declinedAtRenewal);
    await overdue.advanceDays(33);
    const held = await working.subscribe(cards.declinedAtRenewal);
    await held.advanceDays(40);
    const waiting = await working.subscribe(cards.misconfiguredAtRenewal);
    await waiting.advanceDays(32);
    for (const scenario of [ended, paused, overdue, held, waiting]) {
      const before = await scenario.row();
      const { status, body } = await ask(scenario);
      expect([before.status, status, body]).toMatchObject([before.status, 409, { error: 'subscription_state' }]);
      expect(await scenario.row()).toMatchObject({ current_period_end: before.current_period_end });
    }
  });
});
