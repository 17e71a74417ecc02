import fc from 'fast-check';
import type * as Mailings from '../../src/reports/reportDeliveries';

/** The days of a mailed report. */

let periodBefore: typeof Mailings.periodBefore;

beforeAll(async () => {
  ({ periodBefore } = await import('../../src/reports/reportDeliveries.js'));
});

const dayMs = 86_400_000;
const at = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
const cadence = fc.constantFrom('daily' as const, 'weekly' as const, 'monthly' as const);
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

test.each([
  ['daily', '2026-03-01T06:00:00Z', '2026-02-28', '2026-02-28'],
  ['weekly', '2026-11-23T06:00:00Z', '2026-11-16', '2026-11-22'],
  ['weekly', '2026-11-22T23:59:59Z', '2026-11-09', '2026-11-15'],
  ['monthly', '2024-03-01T06:00:00Z', '2024-02-01', '2024-02-29'],
  ['monthly', '2026-01-31T06:00:00Z', '2025-12-01', '2025-12-31'],
] as const)('%s at %s: from %s to %s', (every, time, from, to) => {
  expect(periodBefore(every, new Date(time))).toEqual({ from, to });
});

test('it is over, it ends where the next one begins, and no day is in two of them or in none', () => {
  fc.assert(
    fc.property(cadence, at, (every, time) => {
      const { from, to } = periodBefore(every, time);
      expect(to < time.toISOString().slice(0, 10)).toBe(true);
      expect(from <= to).toBe(true);
      const endMs = Date.parse(to) + dayMs;
      expect(periodBefore(every, new Date(endMs))).toEqual({ from, to });
      expect(periodBefore(every, new Date(endMs - 1)).to).toBe(dayOf(Date.parse(from) - dayMs));
    }),
  );
});
