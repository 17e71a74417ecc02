import path from 'node:path';
import { languages } from '../../../src/kit/languages';
import { flatten, translator } from '../../../src/kit/locales';
import { locales, textsFor } from '../../../src/pages/layout/texts';
import { isOfPages, localeFaults } from '../../../scripts/localeFaults';
import { unusedKeys } from '../../support/locales';

const pages = path.join(__dirname, '../../../src/pages');

test('every language has the English texts, with their placeholders and the plural forms of the language', () => {
  expect(Object.keys(locales)).toEqual([...languages]);
  expect(flatten(locales.en).size).toBeGreaterThan(1000);
  expect(localeFaults(locales, isOfPages)).toEqual([]);
});

test('every text is used by a page', () => {
  expect(unusedKeys(locales.en, pages)).toEqual([]);
});

test('a key that no page names is found', () => {
  expect(unusedKeys({ common: { save: 'Save', nowhere: 'Nowhere' }, periods: { aeon: 'aeon' } }, pages)).toEqual([
    'common.nowhere',
  ]);
});

test('missing texts, forms and placeholders are found', () => {
  const en = { days_one: 'a day', days_other: '{count} days', price: 'for {price}', title: 'Title', name: 'Name' };
  const forms = { days_zero: 'x', days_one: 'x', days_two: 'x', days_few: '{count} x', days_many: '{count} x' };
  const ar = { ...forms, price: 'x {prize}', title: '', more: 'x' };
  expect(localeFaults({ en, ar })).toEqual([
    'ar lacks name',
    'ar days: has the forms zero,one,two,few,many',
    'ar price: has the placeholders prize instead of price',
    'ar title: is empty',
    'ar has more, which English lacks',
  ]);
});

test('a text that does not fit is found', () => {
  expect(localeFaults({ en: { save: 'Save' }, de: { save: 'Speichern und dann weiter' } })).toEqual([
    'de save: has 25 characters, of which 24 fit',
  ]);
});

test('a language of customers only has no texts of the console', () => {
  const en = { console: { menu: 'Menu' }, common: { save: 'Save' } };
  expect(localeFaults({ en, ar: { common: { save: 'x' } }, de: { common: { save: 'x' } } }, isOfPages)).toEqual([
    'ar lacks console.menu',
  ]);
});

test('a text that a language lacks is English, in its plural form', () => {
  const en = { title: 'Title', days_one: 'a day', days_other: '{count} days' };
  const t = translator('fr', {}, en);
  expect([t('title'), t('days', { count: 1 }), t('days', { count: 1_000_000 })]).toEqual([
    'Title',
    'a day',
    '1\u202f000\u202f000 days',
  ]);
});

test.each([
  ['de', '9,99\u00a0€ pro Monat', '9,99\u00a0€ alle 3 Monate'],
  ['fr', '9,99\u00a0€ par mois', '9,99\u00a0€ tous les 3 mois'],
  ['es', '9,99\u00a0€ al mes', '9,99\u00a0€ cada 3 meses'],
  ['it', '9,99\u00a0€ al mese', '9,99\u00a0€ ogni 3 mesi'],
  ['pt', '€\u00a09,99 por mês', '€\u00a09,99 a cada 3 meses'],
  ['tr', 'aylık €9,99', '3 ayda bir €9,99'],
])('%s: a price in words', (language, monthly, quarterly) => {
  const { t, money } = textsFor({ languages: [language] });
  const price = (count: number) =>
    t('paywall.priceEvery', { price: money(9.99, 'EUR'), time: t('periods.month', { count }) });
  expect([price(1), price(3)]).toEqual([monthly, quarterly]);
});

test('Arabic selects the form of each of its plural categories', () => {
  const { t, direction } = textsFor({ languages: ['ar-EG', 'en'] });
  expect(direction).toBe('rtl');
  const forms = [1, 2, 5, 11, 100].map((count) => t('periods.month', { count }));
  expect(forms).toEqual(['شهر', 'شهرين', '5 أشهر', '11 شهرًا', '100 شهر']);
});

test('English counts one and other', () => {
  const { t } = textsFor({ languages: ['en'] });
  expect([1, 2].map((count) => t('periods.day', { count }))).toEqual(['day', '2 days']);
});

test('the first language that there is, or English', () => {
  const languageOf = (...languages: string[]) => textsFor({ languages }).language;
  expect([languageOf('xx', 'ar'), languageOf('EN-us'), languageOf('xx'), languageOf()]).toEqual([
    'ar',
    'en',
    'en',
    'en',
  ]);
});

test('a country by its name, and texts with the comma of the language', () => {
  const [english, arabic] = [textsFor({ languages: ['en'] }), textsFor({ languages: ['ar'] })];
  expect([english.country('DE'), arabic.country('DE'), english.country(''), english.country('US-CA')]).toEqual([
    'Germany',
    'ألمانيا',
    '',
    'US-CA',
  ]);
  expect([english.series(['a', '', 'b']), arabic.series(['a', 'b']), english.series([])]).toEqual(['a, b', 'a، b', '']);
});

test.each([
  ['de', '3.\u00a0Dezember 2026'],
  ['de-AT', '3.\u00a0Dezember 2026'],
  ['fr', '3 décembre 2026'],
  ['en', 'December 3, 2026'],
])('%s: a day is not parted from its month behind a dot', (language, day) => {
  const { date, calendarDay, shortDate } = textsFor({ languages: [language], zone: 'Europe/Berlin' });
  const at = Date.parse('2026-12-03T12:00:00Z') / 1000;
  expect([date(at), calendarDay('2026-12-03')]).toEqual([day, day]);
  expect(shortDate(at)).not.toMatch(/\d\. /);
});

test('a day and a time name their zone while that of the visitor is not known', () => {
  const at = Date.parse('2026-12-31T23:30:00Z') / 1000;
  const shown = (zone?: string, merchantZone?: string) => {
    const { date, dateTime, shortDate } = textsFor({ languages: ['en-GB'], zone }, merchantZone);
    return [date(at), dateTime(at), shortDate(at)];
  };
  expect(shown()).toEqual(['31 December 2026 (UTC)', '31 Dec 2026, 23:30 (UTC)', '31 Dec 2026']);
  expect(shown(undefined, 'America/New_York')).toEqual([
    '31 December 2026 (America/New York)',
    '31 Dec 2026, 18:30 (America/New York)',
    '31 Dec 2026',
  ]);
  expect(shown('Europe/Berlin', 'America/New_York')).toEqual(['1 January 2027', '1 Jan 2027, 00:30', '1 Jan 2027']);
});
