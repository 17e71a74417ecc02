import { periodEnd, periodUnits } from '../../../src/billing/periods';
import { changeCardOutcome, startScenarios, type Scenarios, type SubscriptionScenario } from '../../support/scenarios';

/**
 * The database guards the time that a charge pays for with rules of its own (`end_of_period`, `fix_paid_time`). They equal
 * those of the program (`periodEnd`, `renewSubscription`).
 */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));
afterAll(() => scenarios.stop());

const anchors = [
  '2026-01-31T10:00:00.000Z',
  '2026-01-30T23:59:59.999Z',
  '2028-01-31T00:00:00.000Z',
  '2028-02-29T08:30:00.000Z',
  '2026-02-28T12:00:00.000Z',
  '2026-03-29T01:30:00.000Z',
  '2026-10-25T00:30:00.000Z',
  '2026-12-31T23:30:00.000Z',
];

test.each(periodUnits)('the end of 1, 2, 11, 12 and 24 periods by %s is the same in the database', async (period) => {
  for (const anchor of anchors)
    for (const quantity of [1, 2, 11, 12, 24])
      for (const zone of ['UTC', 'America/New_York', 'Asia/Kathmandu']) {
        const end = await endInDatabase(anchor, quantity, period, zone);
        expect([anchor, quantity, zone, end]).toEqual([
          anchor,
          quantity,
          zone,
          periodEnd(new Date(anchor), 1, { quantity, period }),
        ]);
      }
});

async function endInDatabase(
  anchor: string,
  quantity: number,
  period: string,
  zone: string,
): Promise<Date | undefined> {
  const client = await scenarios.app.pool.connect();
  try {
    await client.query(`SET TIME ZONE '${zone}'`);
    const text = 'SELECT end_of_period($1::timestamptz, $2, $3) AS "endsAt"';
    return (await client.query<{ endsAt: Date }>(text, [anchor, quantity, period])).rows[0]?.endsAt;
  } finally {
    await client.query('RESET TIME ZONE');
    client.release();
  }
}

/** The time of the last paid charge, and the period in the row. */
async function lastTimes({ id }: SubscriptionScenario) {
  const { rows } = await scenarios.app.pool.query<Record<'from' | 'to' | 'start' | 'end', Date>>(
    `SELECT c.period_start AS "from", c.period_end AS "to", s.current_period_start AS "start", s.current_period_end AS "end"
     FROM charges c JOIN subscriptions s ON s.id = c.subscription_id
     WHERE s.token = $1 AND c.status = 'paid' ORDER BY c.id DESC LIMIT 1`,
    [id],
  );
  return rows[0];
}

async function expectSameTime(scenario: SubscriptionScenario): Promise<void> {
  const times = await lastTimes(scenario);
  expect([times?.from, times?.to]).toEqual([times?.start, times?.end]);
}

test('a first period and a renewal', async () => {
  const scenario = await scenarios.subscribe();
  await expectSameTime(scenario);
  await scenario.advanceDays(33);
  await expectSameTime(scenario);
});

test.each([
  ['in the days of grace keeps the period', 33, 'past_due', true],
  ['on hold begins a new period', 42, 'on_hold', false],
])('a payment %s', async (_, days, status, isKept) => {
  const scenario = await scenarios.subscribe();
  await changeCardOutcome(scenarios.app, scenario, 'insufficient_funds');
  const before = await scenario.advanceDays(days);
  expect(before).toMatchObject({ status });
  await changeCardOutcome(scenarios.app, scenario, 'success');
  expect(await scenario.request('retry')).toMatchObject({ status: 200 });
  await expectSameTime(scenario);
  expect((await scenario.row()).current_period_start === before.current_period_start).toBe(isKept);
});

test('the end of a pause begins a new period', async () => {
  const scenario = await scenarios.subscribe();
  await scenario.request('pause');
  expect(await scenario.advanceDays(40)).toMatchObject({ status: 'paused' });
  expect(await scenario.request('resume')).toMatchObject({ status: 200 });
  await expectSameTime(scenario);
});
