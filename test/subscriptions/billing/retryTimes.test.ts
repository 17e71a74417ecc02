import { afterRetry, beginDunning, defaultPlan, exhaustedMs, graceEndsMs } from '../../../src/billing/dunning';
import { atBestHour, retryTimes } from '../../../src/billing/retryTimes';

const at = (text: string) => Date.parse(text);
const timeOf = (ms: number | undefined) => ms !== undefined && new Date(ms).toISOString().slice(0, 16);

test('no money: the retry waits for the morning of a payday, at most two days', () => {
  const dunning = afterRetry(
    beginDunning(defaultPlan, at('2026-03-11T12:00Z'), 'soft'),
    at('2026-03-12T12:00Z'),
    'soft',
  );
  expect(timeOf(dunning.nextRetryMs)).toBe('2026-03-14T12:00');
  expect(timeOf(atBestHour(dunning, { reason: 'insufficient_funds' }).nextRetryMs)).toBe('2026-03-15T05:00');
});

/** The time of the first retry, with the days of a plan. */
function firstRetry(failedAt: string, reason: string, retryDays: number[], graceDays = 30) {
  const dunning = beginDunning({ graceDays, retryDays }, at(failedAt), 'soft');
  return timeOf(atBestHour(dunning, { reason }).nextRetryMs);
}

test.each([
  ['the last day of a short month is a payday', 'insufficient_funds', '2026-02-26T10:00Z', '2026-02-28T05:00'],
  ['the last day but one is none', 'insufficient_funds', '2026-03-27T12:00Z', '2026-03-29T05:00'],
  ['no payday is near: a Friday morning', 'insufficient_funds', '2026-03-10T12:30Z', '2026-03-13T05:00'],
  ['a payday at a planned time: the morning after it', 'insufficient_funds', '2026-03-14T12:00Z', '2026-03-16T05:00'],
  ['declined: a morning in the week', 'declined', '2026-03-07T12:00Z', '2026-03-10T09:00'],
  ['declined: the same morning', 'declined', '2026-03-09T09:20Z', '2026-03-10T09:20'],
  ['declined at night: the next morning', 'declined', '2026-03-10T01:20Z', '2026-03-11T09:00'],
  ['not authenticated: an evening', 'authentication_failed', '2026-03-10T12:00Z', '2026-03-11T18:00'],
  ['not authenticated: a Monday evening', 'authentication_failed', '2026-03-13T18:30Z', '2026-03-16T18:00'],
  ['not authenticated: on no Friday evening', 'authentication_failed', '2026-03-12T20:00Z', '2026-03-13T20:00'],
])('%s', (_, reason, failedAt, retryAt) => expect(firstRetry(failedAt, reason, [1, 30])).toBe(retryAt));

test.each([
  ['the next planned day', [1, 2], 30],
  ['the last retry day', [1, 2, 2], 30],
  ['the end of the grace period', [1, 30], 2],
])('the retry comes before %s, not at that time', (_, retryDays, graceDays) => {
  expect(firstRetry('2026-03-08T09:00Z', 'declined', retryDays, graceDays)).toBe('2026-03-09T09:00');
  expect(firstRetry('2026-03-08T09:01Z', 'declined', retryDays, graceDays)).toBe('2026-03-10T09:00');
});

test('a retry that is planned for the end of the grace period or the last day does not move', () => {
  expect(firstRetry('2026-03-08T09:00Z', 'declined', [1, 30], 1)).toBe('2026-03-09T09:00');
  expect(firstRetry('2026-03-08T09:00Z', 'declined', [1])).toBe('2026-03-09T09:00');
});

test('a retry after the grace period moves', () =>
  expect(firstRetry('2026-03-08T09:00Z', 'declined', [1, 30], 0)).toBe('2026-03-10T09:00'));

test('a retry moves by less than two days', () => {
  expect(firstRetry('2026-03-12T09:00Z', 'insufficient_funds', [1, 30])).toBe('2026-03-15T05:00');
  expect(firstRetry('2026-03-07T09:00Z', 'declined', [1, 30])).toBe('2026-03-08T09:00');
  expect(firstRetry('2026-03-07T09:01Z', 'declined', [1, 30])).toBe('2026-03-10T09:00');
});

test('the hours are those of the payer', () => {
  const dunning = beginDunning(defaultPlan, at('2026-03-10T12:00Z'), 'soft');
  const inTokyo = atBestHour(dunning, { reason: 'declined', offsetMinutes: 9 * 60 });
  expect(timeOf(inTokyo.nextRetryMs)).toBe('2026-03-12T00:00');
});

test('an hourly retry, a final decline and an unknown reason stay as they are', () => {
  const failedMs = at('2026-03-10T12:00Z');
  for (const decline of ['later', 'hard'] as const) {
    const dunning = beginDunning(defaultPlan, failedMs, decline);
    expect(atBestHour(dunning, { reason: 'declined' })).toStrictEqual(dunning);
  }
  const dunning = beginDunning(defaultPlan, failedMs, 'soft');
  expect(atBestHour(dunning, { reason: 'something_new' })).toEqual(dunning);
});

test('for any failure: as many retries as planned, each on or after its day, and none after the end', () => {
  for (let hour = 0; hour < 24 * 40; hour += 7)
    for (const reason of Object.keys(retryTimes)) {
      const failedMs = at('2026-01-20T00:30Z') + hour * 3_600_000;
      let dunning = atBestHour(beginDunning(defaultPlan, failedMs, 'soft'), { reason });
      for (const days of defaultPlan.retryDays) {
        const plannedMs = failedMs + days * 86_400_000;
        const retryMs = dunning.nextRetryMs ?? NaN;
        expect(retryMs).toBeGreaterThanOrEqual(plannedMs);
        expect(retryMs).toBeLessThanOrEqual(exhaustedMs(dunning));
        if (plannedMs <= graceEndsMs(dunning)) expect(retryMs).toBeLessThanOrEqual(graceEndsMs(dunning));
        dunning = atBestHour(afterRetry(dunning, retryMs, 'soft'), { reason });
      }
      expect(dunning.nextRetryMs).toBeUndefined();
    }
});
