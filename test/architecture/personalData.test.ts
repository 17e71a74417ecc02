import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { addresses, personal, proofs } from '../support/personalColumns';

/** docs/security/personal-data.md says what the code does. */

const read = (name: string) => readFileSync(path.resolve(__dirname, '../..', name), 'utf8');
const document = read('docs/security/personal-data.md');
const erasure = read('src/privacy/erasures.model.ts');
const schema = 'src/adapters/postgres/schema';
const functions = readdirSync(path.resolve(__dirname, '../..', schema)).flatMap(
  (name) => read(`${schema}/${name}`).match(/CREATE FUNCTION delete_outdated_\w+[^]*?\$\$;/g) ?? [],
);
/** The deletions after a time, and those that the database does as the owner of a table. */
const retention = [read('src/privacy/retention.ts'), ...functions].join('\n');

/** The cells of the table between the marks of a name, without its head. */
function tableOf(name: string): string[][] {
  const [, text = ''] = document.split(new RegExp(`<!-- /?${name} -->`));
  const lines = text.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) => line.slice(2, -2).split(' | '));
}

const wordsOf = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, word = '']) => word);

test('every column with personal data or a proof of a person is in the table, and no other', () => {
  const listed = tableOf('stored').flatMap(([, where]) => {
    const [table, ...columns] = wordsOf(where);
    return columns.map((column) => `${table}.${column}`);
  });
  const known = [
    ...Object.entries(personal).map(([table, columns]) => [table, Object.keys(columns)] as const),
    ...Object.entries(addresses),
    ...Object.entries(proofs),
  ].flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`));
  expect(known.length).toBeGreaterThan(50);
  expect(listed.toSorted()).toEqual(known.toSorted());
});

test('what the table calls deleted or emptied is deleted or emptied by an erasure', () => {
  const rows = tableOf('stored').map(([, where, , , fate]) => ({ table: wordsOf(where)[0] ?? '', fate }));
  const statements: Record<string, (table: string) => RegExp> = {
    deleted: (table) => new RegExp(`DELETE FROM (?:\\$\\{sameAddress\\(')?${table}\\b`),
    emptied: (table) => new RegExp(`UPDATE ${table}\\b`),
    replaced: (table) => new RegExp(`UPDATE ${table} SET email = `),
    'with its session': () => /DELETE FROM sessions\b/,
    'with its mail': () => /DELETE FROM mails\b/,
    'by the provider': () => /listPayers/,
  };
  const untrue = rows.filter(({ table, fate = '' }) => !statements[fate]?.(table).test(erasure));
  expect(rows.length).toBeGreaterThan(20);
  expect(untrue).toEqual([]);
});

test('every deletion after a time is in the table, with its time', () => {
  const statements = retention.split(/(?=^ {2}`)/m).filter((text) => /DELETE FROM \w/.test(text));
  const limits = new Map(
    statements.map((text) => [
      /DELETE FROM (\w+)/.exec(text)?.[1] ?? '',
      [...(text.split('UPDATE')[0] ?? '').matchAll(/interval '([^']+)'/g)].map(([, time = '']) => time),
    ]),
  );
  const listed = new Map(tableOf('limited').map(([table, , time = '']) => [wordsOf(table)[0], time]));
  expect([...listed.keys()].toSorted()).toEqual([...limits.keys()].toSorted());
  const untrue = [...limits].filter(([table, times]) => {
    const told = listed.get(table) ?? '';
    return times.length === 0 ? told !== 'their end' : !times.every((time) => told.includes(time));
  });
  expect(untrue).toEqual([]);
});
