import fc from 'fast-check';
import {
  afterRetry,
  beginDunning,
  defaultPlan,
  exhaustedMs,
  graceEndsMs,
  withNewCard,
  type Decline,
  type Dunning,
} from '../../../src/billing/dunning';

const dayMs = 86_400_000;
const anyInstant = fc.integer({ min: 0, max: 4e12 });
const anyDecline = fc.constantFrom<Decline>('soft', 'hard', 'later');
const anyPlan = fc.record({
  graceDays: fc.constantFrom(0, 2, 7, 14, 21),
  retryDays: fc
    .uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 10 })
    .map((days) => days.sort((a, b) => a - b)),
});

/** The days on which a card is tried that is declined each time in the same way. */
function tries(decline: Decline, plan = defaultPlan): number[] {
  const days: number[] = [];
  let dunning: Dunning = beginDunning(plan, 0, decline);
  while (dunning.nextRetryMs !== undefined) {
    days.push(dunning.nextRetryMs / dayMs);
    dunning = afterRetry(dunning, dunning.nextRetryMs, decline);
  }
  return days;
}

test('a card is tried after 1, 3, 7, 14 and 21 days', () => {
  expect(tries('soft')).toEqual([1, 3, 7, 14, 21]);
});

test('a card that is declined for good is not tried again', () => {
  expect(tries('hard')).toEqual([]);
});

test('a provider that asks for later is asked each hour, six times in a row at most, and then as planned', () => {
  const hours = tries('later').map((day) => day * 24);
  expect(hours.slice(0, 8)).toEqual([1, 2, 3, 4, 5, 6, 24, 25]);
  expect(hours.at(-1)).toBe(21 * 24);
});

test('a new card begins where the days stand', () => {
  const lost = beginDunning(defaultPlan, 0, 'hard');
  expect(withNewCard(lost, 4 * dayMs).nextRetryMs).toBe(7 * dayMs);
});

test('an hourly retry that would come on the last day is the last planned one', () => {
  const dunning = beginDunning({ graceDays: 7, retryDays: [1] }, 0, 'soft');
  expect(afterRetry(dunning, dayMs - 3_600_000, 'later')).toMatchObject({ nextRetryMs: dayMs, sooner: 0 });
  expect(afterRetry(dunning, dayMs - 3_600_001, 'later')).toMatchObject({ nextRetryMs: dayMs - 1, sooner: 1 });
});

test('after the last retry none is planned', () => {
  const dunning = beginDunning(defaultPlan, 0, 'soft');
  expect(afterRetry(dunning, 21 * dayMs, 'soft')).toStrictEqual({ ...defaultPlan, failedMs: 0, retries: 5, sooner: 0 });
});

test('every plan comes to its end: tries rise, and none is after the last day', () => {
  fc.assert(
    fc.property(anyPlan, anyInstant, fc.array(anyDecline, { maxLength: 60 }), (plan, failedMs, declines) => {
      let dunning = beginDunning(plan, failedMs, declines[0] ?? 'soft');
      for (const decline of declines.slice(1)) {
        const atMs = dunning.nextRetryMs;
        if (atMs === undefined) break;
        expect(atMs).toBeGreaterThan(failedMs);
        expect(atMs).toBeLessThanOrEqual(exhaustedMs(dunning));
        dunning = afterRetry(dunning, atMs, decline);
        expect(dunning.nextRetryMs ?? Infinity).toBeGreaterThan(atMs);
        expect(graceEndsMs(dunning)).toBe(failedMs + plan.graceDays * dayMs);
      }
    }),
  );
});

test('a retry that somebody asks for uses up no planned day', () => {
  fc.assert(
    fc.property(anyPlan, fc.double({ min: 0.001, max: 0.999, noNaN: true }), (plan, part) => {
      const dunning = beginDunning(plan, 0, 'soft');
      const early = Math.floor((plan.retryDays[0] ?? 1) * part * dayMs);
      expect(afterRetry(dunning, early, 'soft').nextRetryMs).toBe(dunning.nextRetryMs);
    }),
  );
});
