import { call } from '../support/client';
import { cards } from '../support/factories';
import { startScenarios, type Scenarios } from '../support/scenarios';
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
