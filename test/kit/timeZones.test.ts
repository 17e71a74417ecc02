import { timeOffsetMinutes } from '../../src/kit/timeZones';

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
