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
