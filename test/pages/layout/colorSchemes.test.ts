import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** `barriersOf` reads the light page for its colours only, because it is otherwise the dark one. */

const folder = path.join(__dirname, '../../../src/pages');
const sources = readdirSync(folder, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && /\.(css|ts)$/.test(entry.name))
  .map((entry) => path.join(entry.parentPath, entry.name));
const texts = sources.map((file) => [path.relative(folder, file), readFileSync(file, 'utf8')] as const);

test('no style and no script asks which colours the visitor prefers', () => {
  expect(texts.length).toBeGreaterThan(50);
  expect(texts.filter(([, text]) => text.includes('prefers-color-scheme')).map(([name]) => name)).toEqual([]);
});

test('where the light and the dark page differ, both have a colour', () => {
  const styles = texts.filter(([name]) => name.endsWith('.css'));
  const pairs = styles.flatMap(([, text]) => [...text.matchAll(/light-dark\(([^)]*)\)/g)].map(([, pair = '']) => pair));
  expect(pairs.length).toBeGreaterThan(20);
  expect(pairs.filter((pair) => !/^#[\da-f]{3,8}, #[\da-f]{3,8}$/.test(pair))).toEqual([]);
});
