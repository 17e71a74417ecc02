import fc from 'fast-check';
import { daysOf, endOfTime, periodEnd, periodUnits, type PeriodLength } from '../../../src/billing/periods';

const at = (text: string) => new Date(`${text}Z`);
const month = { quantity: 1, period: 'month' } as const;

const anyAnchor = fc.date({ min: at('2000-01-01T00:00:00'), max: at('2100-12-31T23:59:59'), noInvalidDate: true });
const anyCalendarLength: fc.Arbitrary<PeriodLength> = fc.record({
  quantity: fc.integer({ min: 1, max: 24 }),
  period: fc.constantFrom('month', 'year'),
});
const anyLength: fc.Arbitrary<PeriodLength> = fc.record({
  quantity: fc.integer({ min: 1, max: 24 }),
  period: fc.constantFrom(...periodUnits),
});

const lastDayOf = (date: Date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
const monthsOf = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth();

test.each([
  ['2026-01-31T10:00:00', 1, '2026-02-28T10:00:00'],
  ['2026-01-31T10:00:00', 2, '2026-03-31T10:00:00'],
  ['2026-01-31T10:00:00', 3, '2026-04-30T10:00:00'],
  ['2028-01-31T10:00:00', 1, '2028-02-29T10:00:00'],
  ['2026-12-30T23:59:59.999', 2, '2027-02-28T23:59:59.999'],
  ['2026-12-30T23:59:59.999', 3, '2027-03-30T23:59:59.999'],
  ['2026-11-30T00:00:00', 1, '2026-12-30T00:00:00'],
  ['2026-01-31T10:00:00', 0, '2026-01-31T10:00:00'],
])('from %s, the end of month %i is %s', (anchor, n, end) => {
  expect(periodEnd(at(anchor), n, month)).toEqual(at(end));
});

test.each([
  [{ quantity: 1, period: 'year' }, 1, '2029-02-28T08:30:00'],
  [{ quantity: 1, period: 'year' }, 4, '2032-02-29T08:30:00'],
  [{ quantity: 12, period: 'month' }, 4, '2032-02-29T08:30:00'],
  [{ quantity: 36, period: 'hour' }, 1, '2028-03-01T20:30:00'],
  [{ quantity: 1, period: 'day' }, 1, '2028-03-01T08:30:00'],
  [{ quantity: 2, period: 'week' }, 1, '2028-03-14T08:30:00'],
] as const)('from 29 February 2028, %j times %i ends at %s', (length, n, end) => {
  expect(periodEnd(at('2028-02-29T08:30:00'), n, length)).toEqual(at(end));
});

test('a night that daylight saving shortens elsewhere is a day like any other', () => {
  expect(periodEnd(at('2026-03-28T02:30:00'), 1, { quantity: 1, period: 'day' })).toEqual(at('2026-03-29T02:30:00'));
});

test('the anchor itself is left as it was', () => {
  const anchor = at('2026-01-31T10:00:00');
  periodEnd(anchor, 1, month);
  expect(anchor).toEqual(at('2026-01-31T10:00:00'));
});

test('every anchor day of every month returns after clamping, without drift over 120 periods', () => {
  for (const year of [2026, 2027, 2028])
    for (let anchorMonth = 0; anchorMonth < 12; anchorMonth++)
      for (let day = 1; day <= 31; day++) {
        const anchor = new Date(Date.UTC(year, anchorMonth, day, 12, 34, 56, 789));
        if (anchor.getUTCDate() !== day) continue;
        for (let n = 1; n <= 120; n++) {
          const end = periodEnd(anchor, n, month);
          expect([monthsOf(end), end.getUTCDate()]).toEqual([monthsOf(anchor) + n, Math.min(day, lastDayOf(end))]);
        }
      }
});

test('months and years keep the time of day, and the day or the last one of a shorter month', () => {
  fc.assert(
    fc.property(anyAnchor, fc.integer({ min: 0, max: 120 }), anyCalendarLength, (anchor, n, length) => {
      const end = periodEnd(anchor, n, length);
      const months = n * length.quantity * (length.period === 'year' ? 12 : 1);
      expect(monthsOf(end)).toBe(monthsOf(anchor) + months);
      expect(end.getUTCDate()).toBe(Math.min(anchor.getUTCDate(), lastDayOf(end)));
      expect(end.getTime() % 86_400_000).toBe(anchor.getTime() % 86_400_000);
    }),
  );
});

test('periods follow each other: each one ends after the one before', () => {
  fc.assert(
    fc.property(anyAnchor, fc.integer({ min: 0, max: 119 }), anyLength, (anchor, n, length) => {
      expect(periodEnd(anchor, n + 1, length).getTime()).toBeGreaterThan(periodEnd(anchor, n, length).getTime());
    }),
  );
});

test('hours, days and weeks are always as long', () => {
  fc.assert(
    fc.property(
      anyAnchor,
      fc.integer({ min: 0, max: 120 }),
      fc.integer({ min: 1, max: 1000 }),
      (anchor, n, quantity) => {
        const hours = periodEnd(anchor, n, { quantity: quantity * 168, period: 'hour' });
        expect(hours.getTime() - anchor.getTime()).toBe(n * quantity * 604_800_000);
        expect(periodEnd(anchor, n, { quantity: quantity * 7, period: 'day' })).toEqual(hours);
        expect(periodEnd(anchor, n, { quantity, period: 'week' })).toEqual(hours);
      },
    ),
  );
});

test.each([
  [12, 'hour', 0.5],
  [3, 'day', 3],
  [2, 'week', 14],
  [1, 'month', 31],
  [1, 'year', 365],
] as const)('%i times a %s counts as %d days', (quantity, period, days) =>
  expect(daysOf({ quantity, period })).toBe(days),
);

test('access for life ends with the last time that a 32-bit client can read', () =>
  expect(endOfTime).toEqual(at('2038-01-19T03:14:07')));
