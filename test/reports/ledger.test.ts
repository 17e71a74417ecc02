import fc from 'fast-check';
import type * as Figures from '../../src/reports/figures';
import { call } from '../support/client';
import { createConsumer, createFee, createShop, type Shop } from '../support/factories';
import { giveTrial } from '../support/scenarios';
import { possible, startStory, worth, type Deed, type Story } from '../support/reporting';
import { startApp, type TestApp } from '../support/startApp';
import { createVoucher } from '../support/vouchers';

/** The ledger and the sums of the reports agree with the subscriptions, over random sequences of steps. */

let app: TestApp;
let figures: typeof Figures;

beforeAll(async () => {
  app = await startApp();
  figures = await import('../../src/reports/figures.js');
});

afterAll(() => app.stop());

const dayMs = 86_400_000;
const day = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);

interface Mrr {
  collection: Record<
    'opening' | 'closing' | 'net' | 'new' | 'reactivation' | 'expansion' | 'contraction' | 'churn' | 'churn_payment',
    number
  >[];
}
interface Lines {
  total: number;
  sums: Record<string, number>;
  collection: { kind: string; amount: number; mrr: number; subscriptions: number; cohort: string }[];
}

const mrrOf = async (shop: Shop, from: string, to: string, interval = 'month') =>
  (await call<Mrr>(app, 'GET', `/reporting/mrr?from=${from}&to=${to}&interval=${interval}`, undefined, shop.merchant))
    .body.collection;
const linesOf = async (shop: Shop, query = '') =>
  (await call<Lines>(app, 'GET', `/reporting/movements?limit=500&${query}`, undefined, shop.merchant)).body;
const cents = (amount: number) => Math.round(amount * 100);

async function shopWithPlans(): Promise<{ shop: Shop; feeIds: number[]; trialFeeId: number; code: string }> {
  const shop = await createShop(app, { amount: '10.00' });
  const dear = await createFee(app, shop.merchant, shop.item.id, { amount: '20.00' });
  const yearly = await createFee(app, shop.merchant, shop.item.id, { amount: '96.00', period: 'year' });
  const trial = await createFee(app, shop.merchant, shop.item.id, { amount: '12.00' });
  await giveTrial(app, trial.id, [7, 'day']);
  const { code } = await createVoucher(app, shop.merchant, { discount: 50 });
  return { shop, feeIds: [shop.fee.id, dear.id, yearly.id], trialFeeId: trial.id, code };
}

test('whatever becomes of subscriptions, what moves the revenue sums up to what it changed by, in reports and in rows', async () => {
  const step = fc.record({
    who: fc.integer({ min: 0, max: 2 }),
    pick: fc.nat(100),
    days: fc.integer({ min: 0, max: 40 }),
    fee: fc.integer({ min: 0, max: 2 }),
    fold: fc.boolean(),
  });
  const history = fc.record({
    steps: fc.array(step, { minLength: 3, maxLength: 12 }),
    cuts: fc.tuple(fc.nat(900), fc.nat(900)),
  });
  // One merchant has all sequences, one after the other.
  const { shop, feeIds, code } = await shopWithPlans();
  const people = [shop.consumer, await createConsumer(app, shop.merchant), await createConsumer(app, shop.merchant)];
  const stories = new Map<number, Story>();
  const known: { id: number; atMs: number; worth: number }[] = [];
  const startMs = Date.now();
  let atMs = startMs;

  async function live({ who, pick, days, fee }: { who: number; pick: number; days: number; fee: number }) {
    const begins = { ...shop, consumer: people[who] ?? shop.consumer, fee: { ...shop.fee, id: feeIds[fee] ?? 0 } };
    const story = stories.get(who) ?? (await startStory(app, begins, pick % 3 === 0 ? { code } : {}));
    stories.set(who, story);
    const deeds: readonly Deed[] = possible[(await story.row()).state];
    const deed = deeds[pick % deeds.length];
    atMs += days * dayMs;
    if (deed === undefined) return void stories.delete(who);
    await story.take(deed, atMs, feeIds[fee] ?? 0);
    known.push({ id: story.id, atMs, worth: worth(await story.row()) });
  }

  function totalAt(endMs: number): number {
    const latest = new Map(known.filter((seen) => seen.atMs < endMs).map((seen) => [seen.id, seen.worth]));
    return [...latest.values()].reduce((sum, amount) => sum + amount, 0);
  }

  await fc.assert(
    fc.asyncProperty(history, async ({ steps, cuts }) => {
      for (const taken of steps) {
        await live(taken);
        if (taken.fold) await figures.foldFigures();
      }
      const [first, last] = cuts.map((days) => startMs + days * dayMs).sort((a, b) => a - b) as [number, number];
      const [from, to] = [day(first), day(last)];
      const [openingMs, closingMs] = [Date.parse(from), Date.parse(to) + dayMs];
      const periods = await mrrOf(shop, from, to);
      expect(cents(periods[0]?.opening ?? 0)).toBe(totalAt(openingMs));
      expect(cents(periods.at(-1)?.closing ?? 0)).toBe(totalAt(closingMs));
      for (const [index, { opening, closing, net, ...kinds }] of periods.entries()) {
        const moved = kinds.new + kinds.reactivation + kinds.expansion + kinds.contraction + kinds.churn;
        expect([cents(opening + moved), cents(opening + net)]).toEqual([cents(closing), cents(closing)]);
        expect(cents(periods[index + 1]?.opening ?? closing)).toBe(cents(closing));
      }
      const lines = await linesOf(shop, `from=${from}&to=${to}`);
      expect(cents(lines.sums['EUR'] ?? 0)).toBe(totalAt(closingMs) - totalAt(openingMs));
      expect(lines.collection.reduce((sum, line) => sum + cents(line.amount), 0)).toBe(cents(lines.sums['EUR'] ?? 0));
      expect(lines.total).toBe(lines.collection.length);
    }),
    { numRuns: 12, endOnFailure: true },
  );
});

async function lived(story: Story, shop: Shop, deeds: [Deed, number?][], feeId = shop.fee.id) {
  const startMs = Date.now();
  for (const [index, [deed, days = index]] of deeds.entries()) await story.take(deed, startMs + days * dayMs, feeId);
}
const kindsOf = async (shop: Shop) =>
  (await linesOf(shop)).collection.reverse().map(({ kind, amount }) => [kind, amount]);

test('a subscription is new once it is paid, and a dearer or a cheaper plan is an expansion or a contraction', async () => {
  const { shop, feeIds } = await shopWithPlans();
  const story = await startStory(app, shop);
  await lived(story, shop, [['begin'], ['switch']], feeIds[1]);
  await story.take('switch', Date.now() + 5 * dayMs, feeIds[2] ?? 0);
  const moves = [
    ['new', 10],
    ['expansion', 10],
    ['contraction', -12],
  ];
  expect(await kindsOf(shop)).toEqual(moves);
});

test('who leaves by wish and who does not pay are told apart, and who comes back is no newcomer', async () => {
  const { shop } = await shopWithPlans();
  await lived(await startStory(app, shop), shop, [
    ['begin'],
    ['nextPeriod'],
    ['fail'],
    ['hold'],
    ['renew'],
    ['cancel'],
  ]);
  await lived(await startStory(app, shop), shop, [
    ['begin', 10],
    ['pause', 11],
    ['resume', 12],
    ['revoke', 13],
  ]);
  const moves = [
    ...[
      ['new', 10],
      ['churn_payment', -10],
      ['reactivation', 10],
      ['churn_voluntary', -10],
    ],
    ...[
      ['reactivation', 10],
      ['churn_voluntary', -10],
      ['reactivation', 10],
      ['churn_payment', -10],
    ],
  ];
  expect(await kindsOf(shop)).toEqual(moves);
});

test('a trial brings nothing before its first paid charge, also while that is being retried', async () => {
  const { shop, trialFeeId } = await shopWithPlans();
  const trial = { ...shop, fee: { ...shop.fee, id: trialFeeId } };
  const story = await startStory(app, trial);
  const { startTrial } = await import('../../src/subscriptions/lifecycle/lifecycle.js');
  await startTrial(story.id, { runId: 'by-hand' });
  await lived(story, trial, [
    ['nextPeriod', 7],
    ['fail', 7],
  ]);
  expect(await kindsOf(shop)).toEqual([]);
  await lived(story, trial, [['renew', 8]]);
  expect(await kindsOf(shop)).toEqual([['new', 12]]);
});

test('the end of a discount is an expansion', async () => {
  const { shop, code } = await shopWithPlans();
  await lived(await startStory(app, shop, { code }), shop, [['begin'], ['nextPeriod', 31], ['renew', 31]]);
  const moves = [
    ['new', 5],
    ['expansion', 5],
  ];
  expect(await kindsOf(shop)).toEqual(moves);
});

test('a step that is taken twice is one line, and the ledger only grows', async () => {
  const { shop } = await shopWithPlans();
  const story = await startStory(app, shop);
  const atMs = Date.now();
  await Promise.all([story.take('begin', atMs, 0), story.take('begin', atMs, 0)]);
  expect((await linesOf(shop)).total).toBe(1);
  for (const change of ['UPDATE mrr_movements SET amount_minor = 0', 'DELETE FROM mrr_movements'])
    await expect(app.pool.query(change)).rejects.toThrow('the ledger only grows');
});

test('what many write and fold at once is counted once', async () => {
  const { shop } = await shopWithPlans();
  const stories = await Promise.all(
    Array.from({ length: 8 }, async () =>
      startStory(app, { ...shop, consumer: await createConsumer(app, shop.merchant) }),
    ),
  );
  const folding = Array.from({ length: 8 }, () => figures.foldFigures());
  await Promise.all([...stories.map((story) => story.take('begin', Date.now(), 0)), ...folding]);
  await Promise.all(folding.map(() => figures.foldFigures()));
  const today = day(Date.now());
  expect(await mrrOf(shop, today, today)).toMatchObject([{ opening: 0, new: 80, closing: 80 }]);
});
