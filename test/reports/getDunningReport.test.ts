import { call } from '../support/client';
import { cards } from '../support/factories';
import { startLives, type Lives } from '../support/lives';
import { dayAhead } from '../support/reporting';

let lives: Lives;

beforeAll(async () => {
  lives = await startLives();
});

afterAll(() => lives.stop());

interface Dunning {
  collection: Record<'failed' | 'recovered' | 'lost', { count: number; amount: number }>[];
}

async function dunningOf(life: Awaited<ReturnType<Lives['begin']>>) {
  const path = `/reporting/dunning?interval=day&from=${dayAhead(0)}&to=${dayAhead(120)}`;
  const { status, body } = await call<Dunning>(lives.app, 'GET', path, undefined, life.shop.merchant);
  const sum = (what: keyof Dunning['collection'][number]) => {
    const occasions = body.collection.map((row) => row[what]).filter(({ count }) => count > 0);
    return occasions.map(({ count, amount }) => [count, amount]);
  };
  return { status, failed: sum('failed'), recovered: sum('recovered'), lost: sum('lost') };
}

test('200: a renewal that failed and was recovered', async () => {
  const life = await lives.begin(cards.declinedOnceAtRenewal);
  await life.pass(32);
  await life.pass(3);
  expect(await dunningOf(life)).toEqual({ status: 200, failed: [[1, 9.99]], recovered: [[1, 9.99]], lost: [] });
});

test('200: a renewal that failed for good', async () => {
  const life = await lives.begin(cards.declinedAtRenewal);
  await life.pass(32);
  await life.pass(60);
  expect(await dunningOf(life)).toEqual({ status: 200, failed: [[1, 9.99]], recovered: [], lost: [[1, 9.99]] });
  const { body } = await call(
    lives.app,
    'GET',
    '/reporting/movements?kind=churn_payment',
    undefined,
    life.shop.merchant,
  );
  expect(body).toMatchObject({ total: 1, sums: { EUR: -9.99 }, collection: [{ reason: 'grace is over' }] });
});

test('422 invalid_input: an interval that is none', async () => {
  const life = await lives.begin();
  const { status } = await call(lives.app, 'GET', '/reporting/dunning?interval=0', undefined, life.shop.merchant);
  expect(status).toBe(422);
});
