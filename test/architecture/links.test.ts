import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Every file that a document links to exists. */

const root = path.resolve(__dirname, '../..');
const written = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' });
const names = [...readdirSync(root), ...written.map((name) => `docs/${name}`)];
const documents = names.filter((name) => name.endsWith('.md'));

test('the documents are found in all folders', () => {
  expect(documents).toEqual(expect.arrayContaining(['README.md', 'docs/reliability.md', 'docs/decisions/README.md']));
});

/** The relative links of a document to files that do not exist. */
function deadLinks(text: string, folder: string): string[] {
  const links = [...text.matchAll(/(?:\]\(|src=")([^)"\s]+)/g)].map(([, link = '']) => link);
  const files = links.filter((link) => !/^(https?:|mailto:|#)/.test(link));
  return files.filter((link) => !existsSync(path.join(root, folder, link.replace(/#.*$/, ''))));
}

test.each(documents)('every relative link of %s leads to a file', (name) => {
  expect(deadLinks(readFileSync(path.join(root, name), 'utf8'), path.dirname(name))).toEqual([]);
});

test('a dead link is found', () => {
  const text = '[a](gone.md), [b](reliability.md#faults), [c](https://example.org/x), <img src="gone.webp">';
  expect(deadLinks(text, 'docs')).toEqual(['gone.md', 'gone.webp']);
});
