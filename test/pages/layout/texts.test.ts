import { catalogues, flatten, textsFor } from '../../../src/pages/layout/texts';
import { type Forms } from '../../../src/pages/layout/messages/en';

const english = flatten(catalogues.en);
const others = Object.entries(catalogues).filter(([language]) => language !== 'en');
const placeholders = (text: string | Forms) => {
  const longest = typeof text === 'string' ? text : text.other;
  return [...longest.matchAll(/\{(\w+)\}/g)].map(([name]) => name).sort();
};

test('the catalogue is read: an empty one would please every check below', () => {
  expect(english.size).toBeGreaterThan(40);
  expect(others.length).toBeGreaterThan(0);
});

test.each(others)(
  '%s has every text of the English catalogue, with the same values in it, and no other',
  (_name, other) => {
    const texts = flatten(other);
    expect([...texts.keys()].sort()).toEqual([...english.keys()].sort());
    for (const [key, text] of texts) {
      expect([key, placeholders(text)]).toEqual([key, placeholders(english.get(key) ?? '')]);
      expect(typeof text === 'string' ? text : text.other).not.toBe('');
    }
  },
);

test('Arabic has the forms that its numbers need', () => {
  const { t, direction } = textsFor({ languages: ['ar-EG', 'en'] });
  expect(direction).toBe('rtl');
  const forms = [1, 2, 5, 11].map((count) => t('periods.month', { count }));
  expect(new Set(forms).size).toBe(4);
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
