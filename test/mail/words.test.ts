import { wordsAt } from '../../src/mail/words';

/** Days as mails and documents write them. */

test.each([
  ['2026-12-03', '3.\u00a0Dezember 2026', '3.–9.\u00a0Dezember 2026'],
  ['2026-11-30', '30.\u00a0November 2026', '30.\u00a0November\u2009–\u20099.\u00a0Dezember 2026'],
])('the day %s of a German mail or document is not parted from its month', (from, day, days) => {
  const words = wordsAt('de', 'Europe/Berlin');
  const [start, end] = [from, '2026-12-09'].map((at) => new Date(`${at}T12:00:00Z`)) as [Date, Date];
  expect([words.day(from), words.day(start.toISOString()), words.dayIn(start, 'UTC')]).toEqual([day, day, day]);
  expect([words.days(from, '2026-12-09'), words.daysIn(start, end, 'UTC')]).toEqual([days, days]);
});
