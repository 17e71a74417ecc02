import { DocumentFonts } from '../../src/adapters/documents/fonts';
import { composed, piecesOf, type Style, wrap } from '../../src/adapters/documents/lines';

const fontsOfTest = new DocumentFonts();
const plain = { fonts: fontsOfTest, weight: 'plain', direction: 'ltr', region: 'sc', ownFont: undefined } as const;

type Direction = 'ltr' | 'rtl' | 'auto';

const drawn = (line: string, direction: Direction, ownFont?: string) =>
  piecesOf(line, { ...plain, direction, ownFont }).map(({ text }) => text);
const fonts = (line: string, style: Partial<Style> = {}) =>
  piecesOf(line, { ...plain, weight: 'bold', ...style }).map(({ face }) => face.name);

describe('the order from left to right', () => {
  test.each<[string, Direction, string[]]>([
    ['', 'ltr', []],
    ['Cup final, 2 days', 'ltr', ['Cup final, 2 days']],
    ['شركة الأخبار', 'rtl', ['الأخبار', ' ', 'شركة']],
    ['شارع 12', 'rtl', ['12', ' ', 'شارع']],
    ['شارع (قديم)', 'rtl', ['(', 'قديم', ')', ' ', 'شارع']],
    ['10115 Berlin', 'auto', ['10115 Berlin']],
    ['Visa شركة', 'ltr', ['Visa ', 'شركة']],
    ['€\u200f', 'rtl', ['€']],
  ])('%p in a text %s', (line, direction, expected) => expect(drawn(line, direction)).toEqual(expected));
});

test('each character has a font of its script, and one without a font is a question mark', () => {
  expect(fonts('aŠ')).toEqual(['noto-sans-latin-bold', 'noto-sans-latin-ext-bold']);
  expect(fonts('Ж')).toEqual(['noto-sans-cyrillic-bold']);
  expect(fonts('ש')).toEqual(['noto-sans-hebrew-hebrew-bold']);
  expect(fonts('ไทย')).toEqual(['noto-sans-thai-thai-bold']);
  expect(drawn('a😀b', 'ltr')).toEqual(['a?b']);
  expect(drawn('a😀b', 'ltr', '/fonts/own.ttf')).toEqual(['a', '😀', 'b']);
  expect(fonts('😀', { ownFont: '/fonts/own.ttf' })).toEqual(['own']);
});

test.each([
  ['sc', /^noto-sans-sc-/],
  ['tc', /^noto-sans-tc-/],
  ['jp', /^noto-sans-jp-/],
  ['kr', /^noto-sans-kr-/],
] as const)('a Han character has the shape of the region %s', (region, expected) => {
  expect(fonts('山', { region })).toEqual([expect.stringMatching(expected)]);
});

test('a character that the font of the region lacks has the font of another one', () => {
  expect(fonts('们', { region: 'jp' })).toEqual([expect.stringMatching(/^noto-sans-sc-/)]);
  expect(fonts('한', { region: 'sc' })).toEqual([expect.stringMatching(/^noto-sans-kr-/)]);
});

test('a character that the table of a font promises and the font lacks is a question mark', () => {
  // U+0984 lies in the range of Bengali and is not assigned.
  expect(drawn('\u0984', 'ltr')).toEqual(['?']);
});

test('marks and joiners stay in the font of their letter, selectors of variants are left out, and any space is one', () => {
  expect(drawn('ক্\u200dষ', 'ltr')).toEqual(['ক্\u200dষ']);
  expect(drawn('می\u200cخواهم', 'rtl')).toEqual(['می\u200cخواهم']);
  expect(drawn('a\u200db', 'ltr')).toEqual(['ab']);
  expect(drawn('葛\u{e0100}', 'ltr')).toEqual(['葛']);
  expect(drawn('a\tb', 'ltr')).toEqual(['a b']);
});

test('signs are composed, except the variants of Han characters', () => {
  expect(composed('e\u0301 \u1112\u1161\u11ab')).toBe('é 한');
  expect(composed('\ufa19\u{2f800}')).toBe('\ufa19\u{2f800}');
});

describe('lines', () => {
  const wrapped = (text: string, width: number) => wrap(text, width, (line) => line.length);

  test.each<[string, number, string[]]>([
    ['', 5, ['']],
    ['one two', 7, ['one two']],
    ['one two', 6, ['one', 'two']],
    ['one two three', 7, ['one two', 'three']],
    ['one\ntwo', 20, ['one', 'two']],
    ['abcdef', 6, ['abcdef']],
    ['abcdefg', 6, ['abcdef', 'g']],
    ['a abcdefg b', 6, ['a', 'abcdef', 'g b']],
    ['漢字', 0, ['漢', '字']],
    ['กำนำ', 2, ['กำ', 'นำ']],
  ])('%p in a width of %i', (text, width, expected) => expect(wrapped(text, width)).toEqual(expected));
});
