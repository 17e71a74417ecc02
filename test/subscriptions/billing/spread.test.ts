import fc from 'fast-check';
import { renewalDelayMs, renewalSpreadMs } from '../../../src/billing/spread';

/** The times of renewals that are due in the same minute. */

const minuteMs = 60_000;

test('a delay is a whole number of milliseconds within the spread, and the same each time', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), (id) => {
      const delayMs = renewalDelayMs(id);
      expect(Number.isInteger(delayMs)).toBe(true);
      expect(delayMs).toBeGreaterThanOrEqual(0);
      expect(delayMs).toBeLessThan(renewalSpreadMs);
      expect(renewalDelayMs(id)).toBe(delayMs);
    }),
    { examples: [[1], [2 ** 31 - 1]] },
  );
});

test('access outlasts the spread: the margin of an access is one hour', () => {
  expect(renewalSpreadMs).toBeLessThanOrEqual(3_600_000 / 2);
});

test.each([1, 2, 10, 64])('no minute has twice its share of 3,000 renewals, with every %ith subscription', (step) => {
  const minutes = new Array<number>(renewalSpreadMs / minuteMs).fill(0);
  for (let n = 0; n < 3_000; n += 1) {
    const minute = Math.floor(renewalDelayMs(1_000_000 + n * step) / minuteMs);
    minutes[minute] = (minutes[minute] ?? 0) + 1;
  }
  expect(Math.max(...minutes)).toBeLessThan((2 * 3_000) / minutes.length);
});
