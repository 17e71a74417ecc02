import { randomUUID } from 'node:crypto';
import { cards, createFee } from '../support/factories';
import { daySeconds, extend } from '../support/extensions';
import { bookedDay, earnedMinor, entriesOf, journalFaults, recognise, unscheduled } from '../support/journal';
import { chargesOf, mailsTo, takenFor } from '../support/ledger';
import { loseRun } from '../support/lostRuns';
import { refund, refunded } from '../support/payments';
import { startScenarios, type Scenarios, type SubscriptionScenario } from '../support/scenarios';
import { catchesUp, passDays } from '../support/testClock';

/** A period that a merchant has made longer: its charges, its calendar, its revenue, and lost runs. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

const ask = (scenario: SubscriptionScenario, options = {}) => extend(scenarios.app, scenario, options);
const inDays = (from: number, to: number) => (to - from) / daySeconds;
const weekly = { fee: { quantity: 1, period: 'week', amount: '14.00' } };

async function mrrOf({ id }: SubscriptionScenario): Promise<number[]> {
  const text = `SELECT e.mrr_delta_minor AS mrr FROM subscription_events e
    JOIN subscriptions s ON s.id = e.subscription_id WHERE s.token = $1 ORDER BY e.sequence`;
  const { rows } = await scenarios.app.pool.query<{ mrr: number }>(text, [id]);
  return rows.map(({ mrr }) => Number(mrr)).filter((mrr) => mrr !== 0);
}

test('subscribe.renewed: at the moved end, once, and each later period follows it', async () => {
  const scenario = await scenarios.subscribe(cards.success, weekly);
  const { current_period_end: firstEnd } = await scenario.row();
  await ask(scenario, { days: 3 });
  expect(await scenario.advanceDays(9)).toMatchObject({
    status: 'active',
    current_period_end: firstEnd + 3 * daySeconds,
  });
  expect(await chargesOf(scenarios.app, scenario.id)).toHaveLength(1);
  for (const periods of [1, 2, 3]) {
    const { current_period_end: endsAt } = await scenario.advanceDays(7);
    expect(inDays(firstEnd, endsAt)).toBe(3 + 7 * periods);
  }
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(4);
  expect((await mrrOf(scenario)).length).toBe(1);
});

test('a day of the month that short months do not have is kept after the extension', async () => {
  const scenario = await scenarios.subscribe(cards.success);
  const { current_period_end: endsAt } = await scenario.row();
  const end = new Date(endsAt * 1000);
  // The end moves to the 31st of a later month.
  const [year, month] = [end.getUTCFullYear(), end.getUTCMonth()];
  const at31 = [1, 2, 3].map((ahead) => new Date(Date.UTC(year, month + ahead, 31)));
  const target = at31.find((date) => date.getUTCDate() === 31) ?? end;
  const days = Math.floor(
    (Date.UTC(target.getUTCFullYear(), target.getUTCMonth(), 31) - Date.UTC(year, month, end.getUTCDate())) /
      86_400_000,
  );
  await ask(scenario, { days });
  const lastDays: boolean[] = [];
  for (let rest = days + 32; lastDays.length < 3; rest = 31) {
    const row = await scenario.advanceDays(rest);
    const day = new Date(row.current_period_end * 1000);
    const lastOfMonth = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
    lastDays.push(day.getUTCDate() === lastOfMonth);
  }
  expect(lastDays).toEqual([true, true, true]);
});

test('raced with its renewal: every period is paid once, and the days are given once', async () => {
  const scenario = await scenarios.subscribe(cards.success, weekly);
  const { current_period_end: firstEnd } = await scenario.row();
  const [reply, clock] = await Promise.all([
    ask(scenario, { days: 5, key: randomUUID() }),
    passDays(scenarios.app, scenario.shop.merchant, 8),
  ]);
  expect([200, 202]).toContain(reply.status);
  await catchesUp(scenarios.temporal.client, scenario.id, clock);
  const { current_period_end: endsAt } = await scenario.row();
  const charges = await chargesOf(scenarios.app, scenario.id);
  expect(charges.map(({ cycle }) => cycle)).toEqual(charges.map((_charge, index) => index + 1));
  expect(inDays(firstEnd, endsAt)).toBe(5 + 7 * (charges.length - 1));
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(charges.length);
});

test('a run that is lost: the same key, sent to the next run, gives the days once', async () => {
  const scenario = await scenarios.subscribe(cards.success, weekly);
  const { current_period_end: firstEnd } = await scenario.row();
  const key = randomUUID();
  expect((await ask(scenario, { key })).status).toBe(200);
  await scenarios.app.pool.query('DELETE FROM idempotency_keys WHERE key = $1', [key]);
  await loseRun(scenarios, scenario);
  expect((await ask(scenario, { key })).status).toBe(200);
  expect(inDays(firstEnd, (await scenario.row()).current_period_end)).toBe(7);
  expect((await ask(scenario)).status).toBe(200);
  expect(inDays(firstEnd, (await scenario.row()).current_period_end)).toBe(14);
});

test('the revenue of a charge is spread over the longer period, and the books stay equal', async () => {
  const { app } = scenarios;
  const scenario = await scenarios.subscribe(cards.success, weekly);
  const { merchant } = scenario.shop;
  await recognise(app.pool, merchant.id, await bookedDay(app.pool, merchant.id, 2));
  const earned = () => entriesOf(app.pool, merchant.id, 'recognition');
  expect(await earned()).toEqual(Array.from({ length: 3 }, () => 'deferred_revenue > revenue 200'));
  await ask(scenario, { days: 7 });
  expect(await journalFaults(app.pool, merchant.id)).toEqual([]);
  await recognise(app.pool, merchant.id, await bookedDay(app.pool, merchant.id, 13));
  // The fourth day takes back what the first three had earned too early: 4 × 100 less 3 × 200.
  expect((await earned()).slice(3)).toEqual([
    'revenue > deferred_revenue 200',
    ...Array.from({ length: 10 }, () => 'deferred_revenue > revenue 100'),
  ]);
  expect(await unscheduled(app.pool, merchant.id)).toEqual([0]);
  expect(await journalFaults(app.pool, merchant.id)).toEqual([]);
});

test('a refund before the extension: what is left of the charge is spread over the longer period', async () => {
  const { app } = scenarios;
  const scenario = await scenarios.subscribe(cards.success, { fee: { quantity: 30, period: 'day', amount: '30.00' } });
  const { merchant } = scenario.shop;
  const { rows } = await app.pool.query<{ token: string }>(
    'SELECT trx_token AS token FROM charges WHERE merchant_id = $1',
    [merchant.id],
  );
  const token = rows[0]?.token ?? '';
  await scenario.advanceDays(10);
  expect((await refund(app, merchant, token, { amount: '15.00' })).status).toBe(200);
  await refunded(app, token);
  expect((await ask(scenario, { days: 30 })).status).toBe(200);
  const schedules = await app.pool.query<{ amount: number; days: number; isLast: boolean }>(
    `SELECT amount_minor::int AS amount, days, end_day = max(end_day) OVER () AS "isLast" FROM revenue_schedules
     WHERE merchant_id = $1 ORDER BY id`,
    [merchant.id],
  );
  expect(schedules.rows).toEqual([
    { amount: 3000, days: 60, isLast: true },
    { amount: -1000, days: 40, isLast: true },
  ]);
  const earnedAfter = async (days: number) => {
    await recognise(app.pool, merchant.id, await bookedDay(app.pool, merchant.id, days - 1));
    return earnedMinor(app.pool, merchant.id);
  };
  expect([await earnedAfter(30), await earnedAfter(60)]).toEqual([750, 1500]);
  expect(await unscheduled(app.pool, merchant.id)).toEqual([0]);
  expect(await journalFaults(app.pool, merchant.id)).toEqual([]);
});

test('a plan change gives credit for what the longer period has left, and never more than was paid', async () => {
  const scenario = await scenarios.subscribe(cards.success, weekly);
  const { app } = scenarios;
  await scenario.advanceDays(3.5);
  await ask(scenario, { days: 7 });
  const dearer = await createFee(app, scenario.shop.merchant, scenario.shop.item.id, {
    ...weekly.fee,
    amount: '28.00',
  });
  const { body } = await scenario.request('switch:preview', { access_fee_id: dearer.id });
  // Three quarters of the fortnight are left.
  expect((body as { lines: { amount: number }[] }).lines.map(({ amount }) => Math.round(amount))).toEqual([-10, 21]);
  expect((await scenario.request('switch', { access_fee_id: dearer.id })).status).toBe(200);
  expect(await journalFaults(app.pool, scenario.shop.merchant.id)).toEqual([]);
});

test('mail trial_ends: again before the end of the longer trial', async () => {
  const scenario = await scenarios.subscribe(cards.success, { trial: [7, 'day'] });
  const sent = async () =>
    (await mailsTo(scenarios.app, scenario.shop.consumer.id)).filter((mail) => mail === 'trial_ends').length;
  await scenario.advanceDays(5);
  expect(await sent()).toBe(1);
  await ask(scenario, { days: 14 });
  await scenario.advanceDays(10);
  expect(await sent()).toBe(1);
  await scenario.advanceDays(4);
  expect(await sent()).toBe(2);
});
