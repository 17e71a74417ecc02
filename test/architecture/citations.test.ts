import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Comments, documents and tests cite only documents of this repository. */

const root = path.resolve(__dirname, '../..');
const folders = ['src', 'workflows', 'activities', 'workers', 'scripts', 'bench', 'test', 'docs', 'deploy'];
const nested = folders.flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
);
const isText = (name: string) => /\.(ts|[cm]?js|md|sql|ya?ml|css)$/.test(name);
// The planted citations below are not real ones.
const names = [...readdirSync(root), ...nested].filter((name) => isText(name) && !name.endsWith('citations.test.ts'));

/** A chapter of a document by its number, such as "wire 0.9". The repository has no document with numbered chapters. */
const chapters = /\b(?:wire|decisions|subscriptions|spec|design|law|reliability) (?:[A-Z]\.)?\d+(?:\.\d+)*\b/g;
/** A document by its file name in backticks, or by its path below `docs`. */
const documents = /`([\w./-]+\.md)`|\b(docs\/[\w./-]+\.md)\b/g;

/** The citations in a file of documents that do not exist. A name is relative to the file, the root or `docs`. */
function missingCitations(file: string, text: string): string[] {
  const places = [path.dirname(file), '.', 'docs'];
  const exists = (name: string) => places.some((place) => existsSync(path.join(root, place, name)));
  const cited = [...text.matchAll(documents)].map(([, quoted, below]) => quoted ?? below ?? '');
  return [...[...text.matchAll(chapters)].map(([chapter]) => chapter), ...cited.filter((name) => !exists(name))];
}

test('the files are found in all folders', () => {
  expect(names).toEqual(expect.arrayContaining(['README.md', 'src/config.ts', 'docs/decisions/README.md']));
});

test('no file cites a document that does not exist', () => {
  const found = names.map(
    (name) => [name, missingCitations(name, readFileSync(path.join(root, name), 'utf8'))] as const,
  );
  expect(found.filter(([, missing]) => missing.length > 0)).toEqual([]);
});

test.each([
  ['// Clients expect it (wire 0.9).', ['wire 0.9']],
  ['/** Plain http is refused (decisions 11). */', ['decisions 11']],
  ["describe('a client of wire C.1', () => {", ['wire C.1']],
  ['See `missing.md` and docs/missing.md.', ['missing.md', 'docs/missing.md']],
  ['See `reliability.md`, docs/settings.md and `README.md`; it renews 2 subscriptions.', []],
])('the citations in %j are checked', (text, missing) => {
  expect(missingCitations('src/vouchers/vouchers.ts', text)).toEqual(missing);
});
