import path from 'node:path';
import { flatten } from '../../../src/kit/locales';
import { locales, textsFor } from '../../../src/pages/layout/texts';
import { localeFaults, unusedKeys } from '../../support/locales';

const pages = path.join(__dirname, '../../../src/pages');

test('every language has the English texts, with their placeholders and the plural forms of the language', () => {
  expect(Object.keys(locales)).toEqual(['en', 'ar']);
  expect(flatten(locales.en).size).toBeGreaterThan(1000);
  expect(localeFaults(locales)).toEqual([]);
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
  expect([languageOf('fr', 'ar'), languageOf('EN-us'), languageOf('xx'), languageOf()]).toEqual([
    'ar',
    'en',
    'en',
    'en',
  ]);
});
