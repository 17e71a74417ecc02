import fc from 'fast-check';
import { stepMinor } from '../../../src/billing/dues';
import { currencyExponents, maxAmountMinor } from '../../../src/billing/money';
import { periodEnd, periodUnits } from '../../../src/billing/periods';
import { monthlyMinor, quoteSwitch, switchModes, type PaidTime, type Plan } from '../../../src/billing/proration';

const month = { quantity: 1, period: 'month' } as const;
const plan = (priceMinor: number): Plan => ({ priceMinor, ...month });
const start = Date.UTC(2026, 0, 31, 10);
const end = Date.UTC(2026, 1, 28, 10);
const paid = (paidMinor: number, currency = 'EUR'): PaidTime => ({
  paidMinor,
  currency,
  fromMs: start,
  endMs: end,
  periodStartMs: start,
});
const half = (start + end) / 2;

test('an upgrade now charges the difference of the time that is left', () => {
  expect(quoteSwitch(plan(1000), plan(2000), paid(1000), half)).toEqual({
    mode: 'now',
    creditMinor: 500,
    chargeMinor: 1000,
    totalMinor: 500,
    balanceMinor: 0,
    isNewPeriod: false,
  });
});

test('a downgrade waits for the period’s end', () => {
  expect(quoteSwitch(plan(2000), plan(1000), paid(2000), half)).toEqual({
    mode: 'next_period',
    creditMinor: 0,
    chargeMinor: 0,
    totalMinor: 0,
    balanceMinor: 0,
    isNewPeriod: false,
  });
});

test('a plan of the same price begins now', () =>
  expect(quoteSwitch(plan(1000), plan(1000), paid(1000), half)).toMatchObject({ mode: 'now', totalMinor: 0 }));

test('another interval may begin a period with a new anchor', () => {
  const year = { priceMinor: 600, quantity: 1, period: 'year' } as const;
  expect(quoteSwitch(plan(1000), year, paid(1000), half, 'reset')).toMatchObject({ mode: 'reset', totalMinor: 100 });
});

test('a downgrade now leaves the rest to the balance', () => {
  const quote = quoteSwitch(plan(2000), plan(1000), paid(2000), half, 'now');
  expect(quote).toMatchObject({ creditMinor: 1000, chargeMinor: 500, totalMinor: 0, balanceMinor: 500 });
});

test('with the next invoice nothing is charged now, and the balance owes it', () => {
  const quote = quoteSwitch(plan(1000), plan(2000), paid(1000), half, 'next_invoice');
  expect(quote).toMatchObject({ totalMinor: 0, balanceMinor: -500 });
});

test.each([
  [{ quantity: 1, period: 'year' }, undefined],
  [{ quantity: 2, period: 'month' }, 'next_invoice'],
  [{ quantity: 1, period: 'day' }, 'now'],
  [{ quantity: 1, period: 'year' }, 'next_period'],
] as const)('another interval, %j, begins a period now', (length, wanted) => {
  const quote = quoteSwitch(plan(1000), { priceMinor: 600, ...length }, paid(1000), half, wanted);
  expect(quote).toMatchObject({ mode: 'now', creditMinor: 500, chargeMinor: 600, totalMinor: 100, isNewPeriod: true });
});

test('a whole period of the new plan costs what the next charge of it would, and the rest of one what this charge does', () => {
  const to = { ...plan(600), nextMinor: 1200 };
  expect(quoteSwitch(plan(500), to, paid(500), half, 'reset')).toMatchObject({ chargeMinor: 1200, totalMinor: 950 });
  expect(quoteSwitch(plan(500), to, paid(500), half, 'now')).toMatchObject({ chargeMinor: 300, totalMinor: 50 });
});

test('twelve months and a year are one interval', () => {
  const year = { priceMinor: 900, quantity: 1, period: 'year' } as const;
  const twelve = { priceMinor: 1000, quantity: 12, period: 'month' } as const;
  expect(quoteSwitch(year, twelve, paid(900), half).isNewPeriod).toBe(false);
});

test.each([
  [
    { quantity: 1, period: 'week' },
    { quantity: 7, period: 'day' },
  ],
  [
    { quantity: 2, period: 'week' },
    { quantity: 336, period: 'hour' },
  ],
  [
    { quantity: 1, period: 'day' },
    { quantity: 24, period: 'hour' },
  ],
  [
    { quantity: 24, period: 'month' },
    { quantity: 2, period: 'year' },
  ],
] as const)('%j and %j are one interval', (from, to) =>
  expect(quoteSwitch({ priceMinor: 900, ...from }, { priceMinor: 900, ...to }, paid(900), half).isNewPeriod).toBe(
    false,
  ),
);

test.each([
  [
    { quantity: 1, period: 'week' },
    { quantity: 2, period: 'week' },
  ],
  [
    { quantity: 1, period: 'day' },
    { quantity: 2, period: 'day' },
  ],
  [
    { quantity: 1, period: 'day' },
    { quantity: 1, period: 'hour' },
  ],
  [
    { quantity: 1, period: 'hour' },
    { quantity: 2, period: 'hour' },
  ],
  [
    { quantity: 1, period: 'month' },
    { quantity: 1, period: 'hour' },
  ],
] as const)('%j and %j are different intervals', (from, to) =>
  expect(quoteSwitch({ priceMinor: 900, ...from }, { priceMinor: 900, ...to }, paid(900), half).isNewPeriod).toBe(true),
);

test('what was free or covered by a voucher gives no credit', () => {
  expect(quoteSwitch(plan(1000), plan(2000), paid(0), half).creditMinor).toBe(0);
});

test('a line is rounded once, half up', () => {
  const quarter = start + (end - start) * 0.75;
  expect(quoteSwitch(plan(2), plan(10), paid(2), quarter)).toMatchObject({ creditMinor: 1, chargeMinor: 3 });
});

test.each([
  ['KWD', 1230, 2470, { creditMinor: 620, chargeMinor: 1230, totalMinor: 610 }],
  ['KWD', 10, 10_000, { creditMinor: 10, chargeMinor: 5000, totalMinor: 4990 }],
  ['MGA', 500, 900, { creditMinor: 300, chargeMinor: 400, totalMinor: 100 }],
])('both lines are rounded to the step of %s in favour of the customer', (currency, price, next, quoted) => {
  expect(quoteSwitch(plan(price), plan(next), paid(price, currency), half)).toMatchObject(quoted);
});

test('the charge, the credit and the carried rest of a change are multiples of the currency step', () => {
  const step = fc.constantFrom('KWD', 'TND', 'MGA');
  const steps = fc.integer({ min: 0, max: 1e6 });
  fc.assert(
    fc.property(step, steps, steps, fc.integer({ min: 0, max: 3e9 }), (currency, price, next, laterMs) => {
      const [from, to] = [price * stepMinor(currency), next * stepMinor(currency)];
      const quote = quoteSwitch(plan(from), plan(to), paid(from, currency), start + laterMs, 'now');
      for (const amount of [quote.creditMinor, quote.chargeMinor, quote.totalMinor, quote.balanceMinor])
        expect(Math.abs(amount % stepMinor(currency))).toBe(0);
      expect(quote.creditMinor).toBeLessThanOrEqual(from);
    }),
  );
});

const anyAmount = fc.integer({ min: 0, max: maxAmountMinor });
const anyPlan: fc.Arbitrary<Plan> = fc.record({
  priceMinor: anyAmount,
  quantity: fc.integer({ min: 1, max: 24 }),
  period: fc.constantFrom(...periodUnits),
});

test('a credit is never above what was paid, and the lines add up', () => {
  fc.assert(
    fc.property(
      anyPlan,
      anyPlan,
      anyAmount,
      fc.integer({ min: 0, max: 4e9 }),
      fc.option(fc.constantFrom(...switchModes), { nil: undefined }),
      (from, to, paidMinor, laterMs, wanted) => {
        const quote = quoteSwitch(from, to, paid(paidMinor), start + laterMs, wanted);
        expect(quote.creditMinor).toBeLessThanOrEqual(paidMinor);
        expect(quote.creditMinor).toBeGreaterThanOrEqual(0);
        if (wanted === undefined || wanted === 'now') expect(quote.balanceMinor).toBeGreaterThanOrEqual(0);
        expect(quote.chargeMinor - quote.creditMinor).toBe(quote.totalMinor - quote.balanceMinor);
      },
    ),
  );
});

test('of any number of changes in one period, the credits stay below what was paid in it', () => {
  const changes = fc.array(
    fc.record({ price: fc.integer({ min: 0, max: 1e9 }), waitMs: fc.integer({ min: 0, max: 1e9 }) }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e9 }), changes, (first, steps) => {
      let [atMs, price, time, chargedMinor, balanceMinor] = [start, first, paid(first), first, 0];
      for (const { price: next, waitMs } of steps) {
        atMs = Math.min(end, atMs + waitMs);
        const quote = quoteSwitch(plan(price), plan(next), time, atMs, 'now');
        time = { ...time, paidMinor: quote.chargeMinor, fromMs: atMs };
        [price, chargedMinor, balanceMinor] = [
          next,
          chargedMinor + quote.totalMinor,
          balanceMinor + quote.balanceMinor,
        ];
        expect(balanceMinor + time.paidMinor).toBeLessThanOrEqual(chargedMinor);
      }
    }),
  );
});

test.each([
  [1200, 1, 'year', 100],
  [900, 3, 'month', 300],
  [1000, 1, 'week', 4348],
  [1000, 2, 'week', 2174],
  [100, 1, 'day', 3044],
  [10, 1, 'hour', 7305],
  [1, 24, 'month', 0],
  [1, 2, 'month', 1],
] as const)('a plan of %i for %i times a %s brings %i in a month', (priceMinor, quantity, period, monthly) =>
  expect(monthlyMinor({ priceMinor, quantity, period })).toBe(monthly),
);

test.each([...currencyExponents.keys()])('%s: a month’s price is whole, and that of a month is itself', (_currency) => {
  fc.assert(
    fc.property(anyAmount, (priceMinor) => {
      expect(monthlyMinor({ priceMinor, ...month })).toBe(priceMinor);
    }),
    { numRuns: 5 },
  );
});

test('no anchor drifts in 120 periods: each month ends on the anchor’s day, or on its own last', () => {
  for (let day = 1; day <= 31; day += 1) {
    const anchor = new Date(Date.UTC(2027, 0, day, 12, 30));
    for (let n = 1; n <= 120; n += 1) {
      const ends = periodEnd(anchor, n, month);
      const last = new Date(Date.UTC(ends.getUTCFullYear(), ends.getUTCMonth() + 1, 0)).getUTCDate();
      expect(ends.getUTCDate()).toBe(Math.min(day, last));
      expect(ends.getUTCFullYear() * 12 + ends.getUTCMonth()).toBe(2027 * 12 + n);
    }
  }
});
