import { piecesOf, wrap } from '../../src/adapters/documents/lines';

type Direction = 'ltr' | 'rtl' | 'auto';

const drawn = (line: string, direction: Direction, ownFont?: string) =>
  piecesOf(line, { weight: 'plain', direction, ownFont }).map(({ text }) => text);
const fonts = (line: string, ownFont?: string) =>
  piecesOf(line, { weight: 'bold', direction: 'ltr', ownFont }).map(({ face }) => face.name);

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
  expect(drawn('a漢b', 'ltr')).toEqual(['a?b']);
  expect(drawn('a漢b', 'ltr', '/fonts/own.ttf')).toEqual(['a', '漢', 'b']);
  expect(fonts('漢', '/fonts/own.ttf')).toEqual(['own']);
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
  ])('%p in a width of %i', (text, width, expected) => expect(wrapped(text, width)).toEqual(expected));
});
