import { call } from '../support/client';
import { cards } from '../support/factories';
import { until } from '../support/until';
import { changeCardOutcome, startScenarios, type Scenarios } from '../support/scenarios';
import { dayAhead } from '../support/reporting';

let scenarios: Scenarios;

beforeAll(async () => {
  scenarios = await startScenarios();
});

afterAll(() => scenarios.stop());

interface Dunning {
  collection: Record<'failed' | 'recovered' | 'lost', { count: number; amount: number }>[];
}

async function dunningOf(scenario: Awaited<ReturnType<Scenarios['subscribe']>>) {
  const path = `/reporting/dunning?interval=day&from=${dayAhead(0)}&to=${dayAhead(120)}`;
  const { status, body } = await call<Dunning>(scenarios.app, 'GET', path, undefined, scenario.shop.merchant);
  const sum = (what: keyof Dunning['collection'][number]) => {
    const occasions = body.collection.map((row) => row[what]).filter(({ count }) => count > 0);
    return occasions.map(({ count, amount }) => [count, amount]);
  };
  return { status, failed: sum('failed'), recovered: sum('recovered'), lost: sum('lost') };
}

type Scenario = Awaited<ReturnType<Scenarios['subscribe']>>;

async function measuresOf({ shop }: Scenario) {
  const path = `/reporting/dunning?from=${dayAhead(0)}&to=${dayAhead(120)}`;
  return (await call<{ measures: object[] }>(scenarios.app, 'GET', path, undefined, shop.merchant)).body.measures;
}

/** A renewal that was declined, with a card that pays again. */
async function failed(reason = 'declined'): Promise<Scenario> {
  const scenario = await scenarios.subscribe();
  await changeCardOutcome(scenarios.app, scenario, reason);
  await scenario.advancePastEnd(0.5);
  await changeCardOutcome(scenarios.app, scenario, 'success');
  return scenario;
}

test('200: a renewal that failed and was recovered', async () => {
  const scenario = await scenarios.subscribe(cards.declinedOnceAtRenewal);
  await scenario.advanceDays(32);
  await scenario.advanceDays(3);
  expect(await dunningOf(scenario)).toEqual({ status: 200, failed: [[1, 9.99]], recovered: [[1, 9.99]], lost: [] });
});

test('200: a renewal that failed for good', async () => {
  const scenario = await scenarios.subscribe(cards.declinedAtRenewal);
  await scenario.advanceDays(32);
  await scenario.advanceDays(60);
  expect(await dunningOf(scenario)).toEqual({ status: 200, failed: [[1, 9.99]], recovered: [], lost: [[1, 9.99]] });
  const { body } = await call(
    scenarios.app,
    'GET',
    '/reporting/movements?kind=churn_payment',
    undefined,
    scenario.shop.merchant,
  );
  expect(body).toMatchObject({ total: 1, sums: { EUR: -9.99 }, collection: [{ reason: 'grace is over' }] });
});

test('200: what each measure recovered', async () => {
  const scenario = await scenarios.subscribe(cards.declinedOnceAtRenewal);
  await scenario.advanceDays(32);
  await scenario.advanceDays(3);
  expect(await measuresOf(scenario)).toEqual([{ measure: 'automatic_retry', currency: 'EUR', count: 1, amount: 9.99 }]);
  const own = await failed();
  expect((await own.request('retry')).status).toBe(200);
  expect(await measuresOf(own)).toMatchObject([{ measure: 'portal', count: 1 }]);
  const changed = await failed('expired_card');
  const card = { number: cards.success, card_name: 'Ana', exp_month: 12, exp_year: 2035, cvv: '123' };
  await changed.send('PUT', '/v2/payments/cards/default', { ...card, currency_iso: 'EUR' });
  await until(async () => (await measuresOf(changed)).length > 0);
  expect(await measuresOf(changed)).toMatchObject([{ measure: 'new_card', count: 1 }]);
  const mailed = await failed();
  const { rows } = await scenarios.app.pool.query<{ id: number; cycle: number }>(
    'SELECT id, cycle FROM subscriptions WHERE token = $1',
    [mailed.id],
  );
  const { payUrl } = await import('../../src/subscriptions/mailLinks/links.js');
  await call(scenarios.app, 'POST', new URL(payUrl(rows[0] ?? { id: 0, cycle: 0 })).pathname);
  await until(async () => (await measuresOf(mailed)).length > 0);
  expect(await measuresOf(mailed)).toMatchObject([{ measure: 'mail_link', count: 1, amount: 9.99 }]);
});

test('422 invalid_input: an interval that is none', async () => {
  const scenario = await scenarios.subscribe();
  const { status } = await call(
    scenarios.app,
    'GET',
    '/reporting/dunning?interval=0',
    undefined,
    scenario.shop.merchant,
  );
  expect(status).toBe(422);
});
