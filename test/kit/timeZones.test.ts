import { instantOf, knownZone, localTime, timeOffsetMinutes } from '../../src/kit/timeZones';

const winter = new Date('2026-01-15T12:00Z');

test.each([
  ['DE', winter, 60],
  ['DE', new Date('2026-07-15T12:00Z'), 120],
  ['IN', winter, 330],
  ['GB', winter, 0],
  ['XX', winter, 0],
  ['', winter, 0],
])('%s at %s: %d minutes', (country, at, minutes) => expect(timeOffsetMinutes(country, at)).toBe(minutes));

test('a country with a negative offset', () => expect(timeOffsetMinutes('CO', winter)).toBe(-300));

test.each([
  ['UTC', '2030-01-31T12:00:00', '2030-01-31T12:00:00', '2030-01-31T12:00:00.000Z'],
  ['Europe/Berlin', '2030-01-31T12:00', '2030-01-31T12:00:00', '2030-01-31T11:00:00.000Z'],
  ['Europe/Berlin', '2030-07-31', '2030-07-31T00:00:00', '2030-07-30T22:00:00.000Z'],
  ['America/New_York', '2030-01-01', '2030-01-01T00:00:00', '2030-01-01T05:00:00.000Z'],
  ['Asia/Kathmandu', '2030-01-01T00:00:00', '2030-01-01T00:00:00', '2029-12-31T18:15:00.000Z'],
  ['Pacific/Kiritimati', '2030-01-01', '2030-01-01T00:00:00', '2029-12-31T10:00:00.000Z'],
  ['UTC', '0203-05-01', '0203-05-01T00:00:00', '0203-05-01T00:00:00.000Z'],
  ['UTC', '9999-12-31T23:59:59', '9999-12-31T23:59:59', '9999-12-31T23:59:59.000Z'],
])('%s: the clocks show %s', (zone, typed, shown, instant) => {
  expect(instantOf(zone, typed)?.toISOString()).toBe(instant);
  expect(localTime(zone, new Date(instant))).toBe(shown);
});

test('a time that the clocks show twice is the first, and one that they leave out counts on', () => {
  const berlin = (local: string) => instantOf('Europe/Berlin', local)?.toISOString();
  expect(berlin('2026-10-25T02:30')).toBe('2026-10-25T00:30:00.000Z');
  expect(berlin('2026-03-29T01:59:59')).toBe('2026-03-29T00:59:59.000Z');
  expect(berlin('2026-03-29T02:30')).toBe('2026-03-29T01:30:00.000Z');
  expect(berlin('2026-03-29T03:00')).toBe('2026-03-29T01:00:00.000Z');
});

test.each(['', 'soon', '2030-02-31T12:00:00', '2030-01-31T12:00:00Z', '1900000000', '2030-13-01'])(
  '%j is no time on a clock',
  (text) => expect(instantOf('UTC', text)).toBeUndefined(),
);

test('a name that no zone has is none', () => {
  expect(['europe/berlin', 'UTC', 'Mars/Olympus', '', '+02:00', 'x'.repeat(65)].map(knownZone)).toEqual([
    'Europe/Berlin',
    'UTC',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
