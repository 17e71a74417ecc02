import fc from 'fast-check';
import { csvHead, csvLine, readCsv } from '../../src/kit/csv';

test('a line is fields with commas between, and quotes where a text needs them', () => {
  expect(csvLine(['a', 1.5, true, null, 'b,c', 'say "so"', 'two\nlines'])).toBe(
    'a,1.5,true,,"b,c","say ""so""","two\nlines"\r\n',
  );
});

const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', ' =1+1', '\u00a0\n -1', '＝1+1', '＠SUM(A1)'];

test.each([...formulas, '=HYPERLINK("http://x","y")'])('what a table program would run is a text: %j', (text) =>
  expect(csvLine([text])).toMatch(/^"?'/),
);

test('a number below zero stays a number', () => expect(csvLine([-9.99])).toBe('-9.99\r\n'));

test('the first line of a file begins with the UTF-8 mark, once', () => {
  expect([...Buffer.from(csvHead(['id', 'title']))]).toEqual([0xef, 0xbb, 0xbf, ...Buffer.from('id,title\r\n')]);
});

test('whatever the text, a reader of CSV reads it back, and no field begins as a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...formulas))), (texts) => {
      const isFormula = (text: string) => '=+-@＝＋－＠'.includes(text.trimStart().charAt(0)) && text.trim() !== '';
      const isBroken = (text: string) => /^[\t\r\n]/.test(text);
      const guarded = texts.map((text) => (isFormula(text) || isBroken(text) ? `'${text}` : text));
      expect(readLine(csvLine(texts))).toEqual(texts.length === 0 ? [''] : guarded);
    }),
  );
});

function readLine(line: string): string[] {
  const fields = `,${line.slice(0, -2)}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^",]*))/g);
  return [...fields].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}

const read = (text: string) => {
  const found = readCsv(text);
  return 'rows' in found ? found.rows.map(({ line, cells }) => [line, ...cells]) : found.brokenLine;
};

test.each([
  [
    'commas',
    'a,b\n1,2',
    [
      [1, 'a', 'b'],
      [2, '1', '2'],
    ],
  ],
  [
    'semicolons',
    'a;b\r\n"1;1";2,5\r\n',
    [
      [1, 'a', 'b'],
      [2, '1;1', '2,5'],
    ],
  ],
  [
    'tabs',
    'a\tb\n\t2',
    [
      [1, 'a', 'b'],
      [2, '', '2'],
    ],
  ],
  ['a byte order mark', '\uFEFF"a",b', [[1, 'a', 'b']]],
  ['spaces around cells', ' a , "b" \n', [[1, 'a', 'b']]],
  [
    'rows of different lengths',
    'a,b\n1\n1,2,3',
    [
      [1, 'a', 'b'],
      [2, '1'],
      [3, '1', '2', '3'],
    ],
  ],
  [
    'rows without a value',
    '\n\na,b\n,\n \n1,2',
    [
      [3, 'a', 'b'],
      [6, '1', '2'],
    ],
  ],
  [
    'lines inside a cell',
    'a\r\n"1\r\n\r\n2"\r\n\r\n3',
    [
      [1, 'a'],
      [2, '1\n\n2'],
      [6, '3'],
    ],
  ],
  ['nothing', '', []],
])('a file is read with %s', (_what, text, rows) => expect(read(text)).toEqual(rows));

test.each([
  ['an open quote', 'a\n1\n\n"2\n3', 4],
  ['a quote inside a text', 'a\nx"y', 2],
  ['a text after a quote', 'a\n"x"y', 2],
])('a file with %s cannot be read, and the line is told', (_what, text, line) => expect(read(text)).toBe(line));

test('a file of ours is read back: without the mark, and without the apostrophes of formulas', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (texts) => {
      // Cells are read without spaces at their ends, and with the line ends of this system.
      const plain = texts.map((text) => `a${text.replaceAll(/\r\n?/g, '\n')}z`);
      expect(read(csvHead(['x']) + csvLine(['=', ...plain]))).toEqual([
        [1, 'x'],
        [2, '=', ...plain],
      ]);
    }),
  );
});
