import fc from 'fast-check';
import { csvHead, csvLine } from '../../src/kit/csv';

test('a line is fields with commas between, and quotes where a text needs them', () => {
  expect(csvLine(['a', 1.5, true, null, 'b,c', 'say "so"', 'two\nlines'])).toBe(
    'a,1.5,true,,"b,c","say ""so""","two\nlines"\r\n',
  );
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '=HYPERLINK("http://x","y")'])(
  'what a table program would run is a text: %j',
  (text) => expect(csvLine([text])).toMatch(/^"?'/),
);

test('a number below zero stays a number', () => expect(csvLine([-9.99])).toBe('-9.99\r\n'));

test('the first line of a file begins with the UTF-8 mark, once', () => {
  expect([...Buffer.from(csvHead(['id', 'title']))]).toEqual([0xef, 0xbb, 0xbf, ...Buffer.from('id,title\r\n')]);
});

test('whatever the text, a reader of CSV reads it back, and no field begins as a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (texts) => {
      const isFormula = (text: string) => /^[=+\-@\t\r]/.test(text);
      expect(readLine(csvLine(texts))).toEqual(texts.map((text) => (isFormula(text) ? `'${text}` : text)));
    }),
  );
});

function readLine(line: string): string[] {
  const fields = `,${line.slice(0, -2)}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^",]*))/g);
  return [...fields].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}
