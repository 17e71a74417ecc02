import { reminderAt, switchedTrialEnd, trialEnd } from '../../../src/billing/trials';

const at = (text: string) => new Date(`${text}Z`);

test.each([
  [{ quantity: 7, period: 'day' }, '2026-02-07T10:00:00'],
  [{ quantity: 1, period: 'month' }, '2026-02-28T10:00:00'],
  [{ quantity: 36, period: 'hour' }, '2026-02-01T22:00:00'],
] as const)('a trial of %j ends %s', (length, end) => {
  expect(trialEnd(at('2026-01-31T10:00:00'), length)).toEqual(at(end));
});

test.each([
  ['2026-01-15T00:00:00', '2026-01-12T00:00:00'],
  ['2026-01-04T00:00:00', '2026-01-03T00:00:00'],
  ['2026-01-02T00:00:00', '2026-01-01T00:00:00'],
  ['2026-01-01T08:00:00', '2026-01-01T00:00:00'],
])('of a trial until %s, the reminder is at %s', (end, reminder) => {
  expect(reminderAt(at('2026-01-01T00:00:00'), at(end))).toEqual(at(reminder));
});

test('another plan’s trial counts from the start of the first', () => {
  const start = at('2026-01-01T00:00:00');
  expect(switchedTrialEnd(start, { quantity: 14, period: 'day' })).toEqual(at('2026-01-15T00:00:00'));
  expect(switchedTrialEnd(start, undefined)).toEqual(start);
});
