import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { percentOf, scoreOf, withScore } from './report';

const statuses = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'RuntimeError', 'CompileError', 'Ignored'] as const;

test('a mutant that a test or a timeout notices is caught, and one that no test notices or reaches is missed', () => {
  const mutants = [...statuses, 'Killed' as const].map((status) => ({ status }));
  expect(scoreOf('a.ts', mutants)).toEqual({ file: 'a.ts', caught: 3, missed: 2 });
  expect(scoreOf('a.ts', [])).toEqual({ file: 'a.ts', caught: 0, missed: 0 });
});

test.each([
  [0, 0, '100.0'],
  [0, 1, '0.0'],
  [2, 1, '66.6'],
  [9999, 1, '99.9'],
  [1, 0, '100.0'],
])('%i caught and %i missed are %s percent', (caught, missed, percent) =>
  expect(percentOf({ caught, missed })).toBe(percent),
);

test('the page has a line for each file with its last score, and one for all', () => {
  const first = { date: '2026-01-31 10:00', commit: 'abc' };
  const later = { date: '2026-02-01 10:00', commit: 'def+' };
  const one = withScore('', { file: 'b.ts', caught: 20, missed: 0 }, first);
  const two = withScore(one, { file: 'a.ts', caught: 5, missed: 5 }, first);
  const three = withScore(two, { file: 'a.ts', caught: 9, missed: 1 }, later);
  const lines = ['| `b.ts` | 20 | 20 | 0 | 100.0 | 2026-01-31 10:00 | abc |', '| All | 30 | 29 | 1 | 96.6 | | |', ''];
  expect(three.split('\n').slice(-4)).toEqual(['| `a.ts` | 10 | 9 | 1 | 90.0 | 2026-02-01 10:00 | def+ |', ...lines]);
  expect(three.split('\n').slice(0, 3)).toEqual(one.split('\n').slice(0, 3));
  expect(withScore(three, { file: 'a.ts', caught: 9, missed: 1 }, later)).toBe(three);
});

test('the list has every file of the pure rules of money and time, except the table of tax rates', () => {
  const root = join(__dirname, '../..');
  const { mutate } = createRequire(__filename)('./stryker.config.js') as { mutate: string[] };
  const found = readdirSync(join(root, 'src/billing'), { recursive: true, encoding: 'utf8' });
  const rules = found.filter((file) => file.endsWith('.ts') && file !== 'tax/packagedRates.ts');
  expect(mutate).toEqual(expect.arrayContaining(rules.map((file) => `src/billing/${file}`)));
  expect(mutate.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(new Set(mutate).size).toBe(mutate.length);
});
