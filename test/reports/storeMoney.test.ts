import fc from 'fast-check';
import type * as Ledger from '../../src/ledger/ledger';
import { call } from '../support/client';
import { createConsumer, createShop, type Shop } from '../support/factories';
import { live, startStory } from '../support/reporting';
import { startApp, type TestApp } from '../support/startApp';
import { answerOf, importStores, newOriginal } from '../support/storeTold';

/** Sales of stores in the reports: movements, totals, revenue and rows agree. */

let app: TestApp;
let ledger: typeof Ledger;
let claim: Awaited<ReturnType<typeof importStores>>['claim'];
let look: Awaited<ReturnType<typeof importStores>>['look'];

beforeAll(async () => {
  app = await startApp();
  ledger = await import('../../src/ledger/ledger.js');
  ({ claim, look } = await importStores());
});

afterAll(() => app.stop());

const dayMs = 86_400_000;
const day = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);
const startMs = Math.floor(Date.now() / dayMs) * dayMs;

type Row = Record<string, number> & { key: string };
interface Report {
  collection: Row[];
  sums: Record<string, number>;
  total: number;
  state_change: number | null;
}
const report = async (shop: Shop, path: string) =>
  (await call<Report>(app, 'GET', path, undefined, shop.merchant)).body;
const range = `from=${day(startMs)}&to=${day(startMs + 400 * dayMs)}`;
const moved = ({ new: begun = 0, reactivation = 0, expansion = 0, contraction = 0, churn = 0 }: Row) =>
  begun + reactivation + expansion + contraction + churn;

test('whatever a store tells, the movements are the difference of the totals, and the rows sum up to the numbers', async () => {
  const told = fc.record({
    who: fc.integer({ min: 0, max: 2 }),
    state: fc.constantFrom(...(['active', 'active', 'grace', 'on_hold', 'paused', 'expired', 'revoked'] as const)),
    isTrial: fc.boolean(),
    price: fc.constantFrom(null, { amount: 4, currency: 'EUR' }, { amount: 7, currency: 'EUR' }),
    renews: fc.boolean(),
    days: fc.integer({ min: 0, max: 20 }),
  });
  const shop = await createShop(app, { amount: '10.00' });
  const people = [shop.consumer, await createConsumer(app, shop.merchant), await createConsumer(app, shop.merchant)];
  const known = new Map<number, { id: string; transaction: number; worth: number; state: string }>();
  let atMs = startMs;
  await fc.assert(
    fc.asyncProperty(fc.array(told, { minLength: 2, maxLength: 8 }), async (steps) => {
      for (const { who, state, isTrial, price, renews, days } of steps) {
        atMs += Math.min(days, 2) * dayMs + 1_000;
        const worth = (state === 'active' || state === 'grace') && !isTrial ? (price?.amount ?? 10) : 0;
        const before = known.get(who);
        const transaction = (before?.transaction ?? 0) + (renews ? 1 : 0);
        const id = before?.id ?? newOriginal();
        const found = answerOf(id, { state, isTrial, price, transaction }, atMs);
        if (before) await look(id, found, atMs);
        else await claim(shop, people[who] ?? shop.consumer, 'apple', found);
        const told = { active: isTrial ? 'trialing' : 'active', grace: 'past_due' };
        known.set(who, { id, transaction, worth, state: told[state as 'grace'] ?? state });
      }
      const total = [...known.values()].reduce((sum, { worth }) => sum + worth, 0);
      const months = (await report(shop, `/reporting/mrr?${range}&interval=month`)).collection;
      expect(months.at(-1)?.['closing'] ?? 0).toBe(total);
      for (const month of months) expect((month['opening'] ?? 0) + moved(month)).toBeCloseTo(month['closing'] ?? 0, 6);
      const lines = await report(shop, '/reporting/movements?limit=500');
      expect(lines.sums['EUR'] ?? 0).toBeCloseTo(total, 6);
      const [summary] = (await report(shop, `/reporting/summary?${range}`)).collection;
      const rows = await report(shop, `/reporting/transactions?limit=500&${range}`);
      expect(rows.sums['EUR'] ?? 0).toBeCloseTo(summary?.['net_revenue'] ?? 0, 6);
      expect(summary?.['customers'] ?? 0).toBe([...known.values()].filter(({ worth }) => worth > 0).length);
      const states = Object.entries({ active_subscriptions: 'active', trialing: 'trialing', past_due: 'past_due' });
      for (const [name, state] of states) {
        const inIt = [...known.values()].filter((each) => each.state === state).length;
        const { state_change: change } = await report(shop, `/reporting/transitions?state=${state}&${range}`);
        expect([state, summary?.[name] ?? 0, change]).toEqual([state, inIt, inIt]);
      }
      const trials = (await report(shop, `/reporting/trials?${range}&interval=month`)).collection;
      const failures = (await report(shop, `/reporting/dunning?${range}&interval=month`)).collection;
      const renewals = (await report(shop, `/reporting/subscriptions?${range}&interval=month`)).collection;
      const all = (rows: object[], name: string, inner?: string): number =>
        rows.reduce<number>((sum, row) => {
          const value = (row as Record<string, number | Record<string, number>>)[name] ?? 0;
          return sum + (typeof value === 'number' ? value : (value[inner ?? ''] ?? 0));
        }, 0);
      const rowsOf = (what: string) => report(shop, `/reporting/transitions?what=${what}&${range}`);
      for (const name of ['started', 'converted', 'lost'])
        expect([name, (await rowsOf(`trial_${name}`)).total]).toEqual([name, all(trials, name)]);
      expect((await rowsOf('renewed')).total).toBe(all(renewals, 'renewed'));
      for (const name of ['failed', 'recovered', 'lost']) {
        const { total: count, sums } = await rowsOf(`dunning_${name}`);
        expect([name, count]).toEqual([name, all(failures, name, 'count')]);
        expect(sums['EUR'] ?? 0).toBeCloseTo(all(failures, name, 'amount'), 6);
      }
    }),
    { numRuns: 10, endOnFailure: true },
  );
});

test('revenue by method names the store; a price that is not told is the fee’s, and a refund goes back on its day', async () => {
  const shop = await createShop(app, { amount: '10.00' });
  const [apple, roku] = [newOriginal(), newOriginal()];
  const paid = { state: 'active', isTrial: false, transaction: 1 } as const;
  await claim(
    shop,
    shop.consumer,
    'apple',
    answerOf(apple, { ...paid, price: { amount: 7, currency: 'EUR' } }, startMs),
  );
  const other = await createConsumer(app, shop.merchant);
  await claim(shop, other, 'roku', answerOf(roku, { ...paid, price: null }, startMs + 1));
  const nextMs = startMs + dayMs;
  await look(apple, answerOf(apple, { ...paid, state: 'revoked', price: null }, nextMs), nextMs);
  const { collection } = await report(shop, `/reporting/revenue?${range}&group_by=payment_method&interval=month`);
  const byKey = Object.fromEntries(collection.map((row) => [row.key, [row['revenue'], row['refunds']]]));
  const isSameMonth = day(startMs).slice(0, 7) === day(nextMs).slice(0, 7);
  expect(byKey['roku']).toEqual([10, 0]);
  if (isSameMonth) expect(byKey['apple']).toEqual([7, 7]);
  const asked = `/reporting/transactions?${range}&payment_method=apple`;
  expect((await report(shop, asked)).collection.map(({ type, amount }) => [type, amount])).toEqual([
    ['refund', -7],
    ['charge', 7],
  ]);
});

test('a test purchase of production brings no money', async () => {
  const shop = await createShop(app, { amount: '10.00' });
  const id = newOriginal();
  const paid = { state: 'active', isTrial: false, transaction: 1, price: null } as const;
  await claim(shop, shop.consumer, 'apple', { ...answerOf(id, { ...paid, state: 'pending' }, startMs) });
  await app.pool.query('UPDATE store_purchases SET counts_money = false WHERE original_id = $1', [id]);
  await look(id, answerOf(id, paid, startMs + 1), startMs + 1);
  expect((await report(shop, `/reporting/movements`)).collection).toEqual([]);
  expect((await report(shop, `/reporting/transactions?${range}`)).collection).toEqual([]);
  expect((await report(shop, `/reporting/revenue?${range}`)).collection).toEqual([]);
});

test('who takes a purchase over is counted, and who brought it no more', async () => {
  const shop = await createShop(app, { amount: '10.00' });
  const other = await createConsumer(app, shop.merchant);
  const id = newOriginal();
  const paid = { state: 'active', isTrial: false, transaction: 1, price: null } as const;
  await claim(shop, shop.consumer, 'apple', answerOf(id, paid, startMs));
  await claim(shop, other, 'apple', answerOf(id, paid, startMs + 1));
  const { collection, sums } = await report(shop, '/reporting/movements');
  expect(collection.map(({ kind }) => kind)).toEqual(['reactivation', 'churn_voluntary', 'new']);
  expect(sums).toEqual({ EUR: 10 });
  const { rows } = await app.pool.query(
    'SELECT account_id, subscriptions FROM paying_customers WHERE merchant_id = $1 ORDER BY account_id',
    [shop.merchant.id],
  );
  expect(rows).toEqual([
    { account_id: shop.consumer.id, subscriptions: 0 },
    { account_id: other.id, subscriptions: 1 },
  ]);
});

test('a currency that changes moves the revenue from the one to the other, and nobody comes or goes', () => {
  const last = { counts: true, mrrMinor: 500, currency: 'EUR' };
  const lines = ledger.storeLines(last, { counts: true, mrrMinor: 600, currency: 'USD', isPaymentChurn: false });
  expect(lines.map(({ kind, currency, amountMinor }) => [kind, currency, amountMinor])).toEqual([
    ['contraction', 'EUR', -500],
    ['expansion', 'USD', 600],
  ]);
  expect(lines.reduce((sum, { subscriptions }) => sum + subscriptions, 0)).toBe(0);
});

test('a chargeback has a number of its own, and one that is won counts no more', async () => {
  const shop = await createShop(app, { amount: '10.00' });
  await live(await startStory(app, shop), [['begin', 0]]);
  const dispute = (isWon: boolean, second: number) =>
    app.pool.query(
      `INSERT INTO disputes AS d (provider, reference, charge_id, is_won, told_at)
       SELECT 'sandbox', 'dispute-' || id, id, $2, now() + $3 * interval '1 second' FROM charges WHERE merchant_id = $1
       ON CONFLICT (provider, reference) DO UPDATE SET is_won = excluded.is_won, told_at = excluded.told_at`,
      [shop.merchant.id, isWon, second],
    );
  const numbers = async () => {
    const { revenue, refunds, chargebacks, net_revenue } =
      (await report(shop, `/reporting/summary?${range}`)).collection[0] ?? ({} as Row);
    return [revenue, refunds, chargebacks, net_revenue];
  };
  await dispute(false, 0);
  expect(await numbers()).toEqual([10, 0, 10, 0]);
  const rows = await report(shop, `/reporting/transactions?${range}&type=chargeback`);
  expect(rows.collection.map(({ type, amount }) => [type, amount])).toEqual([['chargeback', -10]]);
  await dispute(true, 1);
  expect(await numbers()).toEqual([10, 0, 0, 10]);
  expect((await report(shop, `/reporting/transactions?${range}&type=chargeback`)).collection).toEqual([]);
});
