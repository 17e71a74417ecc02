import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const folder = path.join(__dirname, '../../../src/pages/styles');

/** The custom properties that a sheet uses and defines. */
const propertiesOf = (sheet: string) => ({
  used: [...sheet.matchAll(/var\((--[\w-]+)/g)].map(([, name = '']) => name),
  defined: [...sheet.matchAll(/(?:^|[{;\s])(--[\w-]+):/g)].map(([, name = '']) => name),
});

const missingIn = (sheets: string) => {
  const { used, defined } = propertiesOf(sheets);
  return [...new Set(used.filter((name) => !defined.includes(name)))];
};

test('every custom property that a style sheet uses is defined', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.css'));
  expect(files.length).toBeGreaterThan(5);
  expect(missingIn(files.map((name) => readFileSync(path.join(folder, name), 'utf8')).join('\n'))).toEqual([]);
});

test('a misspelt one is found', () => {
  expect(missingIn(':root { --ink: #000; }\n.a { color: var(--ink); background: var(--papre); }')).toEqual(['--papre']);
});

/** The sizes of type and the colours of a sheet that are not those of the tokens. Black and white may have a transparency. */
const ownValuesIn = (sheet: string) => [
  ...[...sheet.matchAll(/font-size: ([^;]+);/g)].map(([, value = '']) => value).filter((value) => !isSharedSize(value)),
  ...[...sheet.matchAll(/#[\da-f]+\b|\b(?:rgb|hsl)a?\(/gi)].map(([value]) => value).filter((value) => !isInk(value)),
];
const isSharedSize = (value: string) => /^(?:var\(--t[1-6]\)|clamp\(var\(--t\d\), \d+vw, var\(--t\d\)\))$/.test(value);
const isInk = (value: string) => /^#(?:0{3}|0{6}|f{3}|f{6})(?:[\da-f]{2})?$/i.test(value);

test('sizes of type and colours are those of the tokens', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.css') && name !== 'tokens.css');
  const own = files.map((name) => [name, ownValuesIn(readFileSync(path.join(folder, name), 'utf8'))] as const);
  // Letters of code are as large as those beside them, and the letters of a chart have the units of its drawing.
  const expected = { 'base.css': ['0.9em'], 'charts.css': ['12px', '14px', '11px'] };
  expect(Object.fromEntries(own.filter(([, values]) => values.length > 0))).toEqual(expected);
});

test('a size and a colour of its own are found', () => {
  expect(
    ownValuesIn('.a { font-size: 1.1rem; color: #123456; background: rgb(0 0 0); border-color: #ffffff; }'),
  ).toEqual(['1.1rem', '#123456', 'rgb(']);
});
