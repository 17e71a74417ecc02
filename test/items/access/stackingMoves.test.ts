import fc from 'fast-check';
import { endOfTime } from '../../../src/billing/periods';
import { type Stacked } from '../../../src/entitlements/stacking.model';
import { movedBack, movedUp } from '../../../src/entitlements/stacking';

/** Access that follows on other access moves with it and keeps its length. Times are in days. */

const day = (days: number) => new Date(Date.UTC(2027, 0, 1) + days * 86_400_000);
const access = (id: number, from: number, to: number, isStacked = true): Stacked => ({
  id,
  startsAt: day(0),
  expiresAt: day(to),
  countsFrom: isStacked ? day(from) : null,
  isOfPackage: false,
  followsPackages: false,
});

test('what followed on what ended begins now, and what follows on that with it', () => {
  const stack = [access(1, 0, 1), access(2, 2, 4), access(3, 4, 6)];
  expect(movedUp(stack, day(1))).toEqual([access(2, 1, 3), access(3, 3, 5)]);
});

test('what had not begun leaves its whole place', () => {
  const stack = [access(1, 0, 2), access(3, 4, 6)];
  expect(movedUp(stack, day(1))).toEqual([access(3, 2, 4)]);
});

test('what still has something else before it stays', () => {
  const stack = [access(1, 0, 1), access(2, 0, 30, false), access(3, 30, 32)];
  expect(movedUp(stack, day(1))).toEqual([]);
});

test('what is given back comes first again', () => {
  const stack = [access(1, 0, 2), access(2, 1, 3), access(3, 3, 5), access(4, 9, 10)];
  expect(movedBack(stack, { id: 1, from: day(1) })).toEqual([access(2, 2, 4), access(3, 4, 6)]);
});

const lastDay = (endOfTime.getTime() - day(0).getTime()) / 86_400_000;

test('access for life that follows other access stays for life, in both directions', () => {
  const stack = [access(1, 0, 5), access(2, 3, lastDay)];
  expect(movedBack(stack, { id: 1, from: day(3) })).toEqual([access(2, 5, lastDay)]);
  expect(movedUp([access(1, 0, 1), access(2, 5, lastDay)], day(1))).toEqual([access(2, 1, lastDay)]);
});

test.each([
  [3, lastDay - 1],
  [4, lastDay],
  [5, lastDay],
])('access that moves by %i days, with 4 left before the last readable time, ends no later than that', (by, endsAt) => {
  const stack = [access(1, 0, 10 + by), access(2, 10, lastDay - 4)];
  expect(movedBack(stack, { id: 1, from: day(10) })).toEqual([access(2, 10 + by, endsAt)]);
});

test('however often and wherever it is refunded, each keeps its length, and all of it ends when the paid days do', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });
  const refunds = fc.array(fc.record({ which: fc.nat(5), waits: fc.nat(6) }), { maxLength: 6 });
  fc.assert(
    fc.property(lengths, refunds, (days, asked) => {
      let end = 0;
      let stack = days.map((length, index) => access(index + 1, end, (end += length)));
      let today = 0;
      for (const { which, waits } of asked) {
        today += waits;
        const refunded = stack[which];
        if (!refunded?.countsFrom || refunded.expiresAt <= day(today)) continue;
        const used = Math.max(0, day(today).getTime() - refunded.countsFrom.getTime());
        stack = stack.map((each) => (each === refunded ? { ...each, expiresAt: day(today), countsFrom: null } : each));
        const moved = movedUp(stack, day(today));
        stack = stack.map((each) => moved.find(({ id }) => id === each.id) ?? each);
        expect(used).toBeGreaterThanOrEqual(0);
      }
      const open = stack.filter(({ countsFrom }) => countsFrom !== null);
      for (const { id, countsFrom, expiresAt } of open)
        expect(expiresAt.getTime() - (countsFrom?.getTime() ?? 0)).toBe((days[id - 1] ?? 0) * 86_400_000);
      // One after the other, without a gap after today.
      open.reduce((before, { countsFrom, expiresAt }) => {
        if (expiresAt > day(today))
          expect(countsFrom?.getTime()).toBeLessThanOrEqual(Math.max(before, day(today).getTime()));
        return expiresAt.getTime();
      }, day(0).getTime());
    }),
  );
});
