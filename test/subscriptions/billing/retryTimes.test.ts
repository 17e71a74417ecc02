import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterRetry, beginDunning, defaultPlan, exhaustedMs, graceEndsMs } from '../../../src/billing/dunning';
import { atBestHour, retryTimes } from '../../../src/billing/retryTimes';
import { simulate } from '../../support/retrySimulation';

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

test('the hours are those of the payer', () => {
  const dunning = beginDunning(defaultPlan, at('2026-03-10T12:00Z'), 'soft');
  const inTokyo = atBestHour(dunning, { reason: 'declined', offsetMinutes: 9 * 60 });
  expect(timeOf(inTokyo.nextRetryMs)).toBe('2026-03-12T00:00');
});

test('an hourly retry, a final decline and an unknown reason stay as they are', () => {
  const failedMs = at('2026-03-10T12:00Z');
  for (const decline of ['later', 'hard'] as const) {
    const dunning = beginDunning(defaultPlan, failedMs, decline);
    expect(atBestHour(dunning, { reason: 'declined' })).toEqual(dunning);
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

test('the simulation recovers more than fixed times, and the document has its figures', () => {
  const [fixed, best] = [simulate('fixed'), simulate('best')];
  expect(best.recovered).toBeGreaterThan(fixed.recovered);
  expect(best.retries).toBeLessThanOrEqual(fixed.retries);
  const document = readFileSync(join(__dirname, '../../../docs/payments.md'), 'utf8');
  for (const [name, { recovered, retries }] of [
    ['Fixed times', fixed],
    ['Best times', best],
  ] as const)
    expect(document).toContain(`| ${name} | ${recovered} % | ${retries} |`);
});
