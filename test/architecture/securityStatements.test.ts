import { readFileSync } from 'node:fs';
import path from 'node:path';
import { citationsOf, complaintAbout } from '../support/asvs';

/** SECURITY.md says only what is tested: docs/security/tests.md names tests of each of its statements. */

const root = path.resolve(__dirname, '../..');
const read = (name: string) => readFileSync(path.join(root, name), 'utf8');

const statements = [...read('SECURITY.md').matchAll(/^- \*\*(.+?)\*\*:/gm)].map(([, words = '']) => words);
const rows = new Map(
  [...read('docs/security/tests.md').matchAll(/^\| (.+?) \| (.+) \|$/gm)]
    .map(([, words = '', tests = '']) => [words, citationsOf(tests)] as const)
    .filter(([words]) => words !== 'Statement' && words !== '---'),
);

test('every statement has a row, and every row a statement', () => {
  expect(statements.length).toBeGreaterThan(20);
  expect([...rows.keys()]).toEqual(statements);
});

test('every row names tests, and they exist', () => {
  const without = [...rows].filter(([, tests]) => !tests.some(({ file }) => file.endsWith('.test.ts')));
  expect(without.map(([words]) => words)).toEqual([]);
  const complaints = [...rows.values()].flat().map((citation) => complaintAbout(citation, root));
  expect(complaints.filter(Boolean)).toEqual([]);
});
