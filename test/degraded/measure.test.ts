import { type Attempt, type Purchase } from './clients';
import { figuresOf } from './measure';
import { isGood, renderResults } from './report';

const attempt = (sentAt: number, endedAt: number, result = 'ok'): Attempt => ({ sentAt, endedAt, result });
const bought = (sentAt: number, openedAt?: number, attempts: Attempt[] = []): Purchase => ({
  sentAt,
  attempts,
  ...(openedAt !== undefined && { openedAt }),
});
const mode = { name: 'The API is killed', goal: { limit: 'withoutCheck', atMost: 3 } } as const;
const during = { beganAt: 1_000, endedAt: 5_000 };

test('counts failed requests by result, and leaves out what ended before the fault', () => {
  const checks = [attempt(900, 999, '503'), attempt(990, 1_000, '503'), attempt(2_000, 2_001, 'no answer')];
  const purchases = [
    bought(900, 2_000, [attempt(900, 950, '429'), attempt(1_200, 1_300, '503'), attempt(1_800, 1_900)]),
  ];
  const figures = figuresOf(mode, { checks, purchases }, during);
  expect(figures.failedChecks).toEqual({ '503': 1, 'no answer': 1 });
  expect(figures.failedPurchases).toEqual({ '503': 1 });
});

test('the longest time without an access check begins with the fault, and failures do not end it', () => {
  const checks = [attempt(900, 999), attempt(2_000, 2_500, '503'), attempt(3_900, 4_000), attempt(4_100, 4_200)];
  expect(figuresOf(mode, { checks, purchases: [] }, during).withoutCheck).toBe(3);
});

test('access checks that never succeed again count until the last one', () => {
  const checks = [attempt(1_100, 1_200), attempt(2_000, 2_100, '503'), attempt(9_000, 9_200, 'no answer')];
  expect(figuresOf(mode, { checks, purchases: [] }, during).withoutCheck).toBe(8);
});

test('purchases are measured from the first request to the event, without those that were through before', () => {
  const purchases = [bought(0, 999), bought(500, 1_500), bought(2_000, 6_000), bought(3_000, 5_000)];
  const figures = figuresOf(mode, { checks: [], purchases }, during);
  expect([figures.medianPurchase, figures.slowestPurchase, figures.lost]).toEqual([2, 4, 0]);
});

test('the time after the end counts failed requests, and purchases from before the end', () => {
  const failed = [attempt(5_000, 5_700, '503')];
  const later = bought(5_001, 9_000);
  expect(figuresOf(mode, { checks: failed, purchases: [later] }, during).afterEnd).toBe(0.7);
  expect(figuresOf(mode, { checks: failed, purchases: [later, bought(4_999, 6_500)] }, during).afterEnd).toBe(1.5);
  expect(figuresOf(mode, { checks: [], purchases: [later, bought(4_000, 4_900)] }, during).afterEnd).toBe(0);
});

test('a purchase without an event is lost', () => {
  const figures = figuresOf({ name: 'Temporal hangs' }, { checks: [], purchases: [bought(2_000)] }, during);
  expect([figures.lost, figures.slowestPurchase, isGood(figures)]).toEqual([1, 0, false]);
});

test.each([
  [2_999, 'met'],
  [3_000, 'met'],
  [3_001, 'missed'],
])('a goal of 3 s with %d ms is %s', (gapMs, verdict) => {
  const figures = figuresOf(mode, { checks: [attempt(1_100, 1_000 + gapMs)], purchases: [] }, during);
  expect(isGood(figures)).toBe(verdict === 'met');
  const text = renderResults({ date: '2026-01-31 12:00', commit: 'abc', seconds: 15, figures: [figures] });
  expect(text).toMatch(
    new RegExp(`\\| The API is killed \\| 0 \\| 3\\.0 \\| .* \\| access checks again within 3: ${verdict} \\|\\n$`),
  );
});
