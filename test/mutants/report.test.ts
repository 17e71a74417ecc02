import { createExample, recorded } from '../simulation/example';
import { sumUp, withResult } from '../simulation/report';
import { planRun } from '../simulation/schedule';
import { type Verdict } from './mutants';
import { withVerdicts } from './report';

const first = { date: '2026-01-31 10:00', commit: 'abc' };
const later = { date: '2026-02-01 10:00', commit: 'def+' };
const caught: Verdict = { verdict: 'caught', by: 'numbers one | two' };
const names = ['one', 'two', 'three'];
const linesOf = (page: string) => page.split('\n').filter((line) => line.startsWith('| `'));

test('the page has a line for each bug with its last result, and the number of caught bugs', () => {
  const before = withVerdicts('', [{ name: 'two', verdict: { verdict: 'missed' }, ...first }], names);
  expect(before).toContain('\n0 of 3 planted bugs were caught, and 2 were not tried.\n');
  const both = [
    { name: 'one', verdict: caught, ...first },
    { name: 'two', verdict: caught, ...later },
  ];
  const page = withVerdicts(before, both, names);
  expect(page).toContain('\n2 of 3 planted bugs were caught, and 1 was not tried.\n');
  expect(linesOf(page)).toEqual([
    '| `one` | caught | numbers one \\| two | 2026-01-31 10:00 | abc |',
    '| `two` | caught | numbers one \\| two | 2026-02-01 10:00 | def+ |',
  ]);
  expect(withVerdicts(page, [], names)).toBe(page);
});

test('a bug that could not be tried is not caught, and one that was removed has no line', () => {
  const tried = [
    { name: 'one', verdict: { verdict: 'broken', output: 'error: patch failed' } as const, ...first },
    { name: 'two', verdict: caught, ...first },
  ];
  const page = withVerdicts('', tried, names);
  expect(page).toContain('\n1 of 3 planted bugs were caught, and 1 was not tried.\n');
  expect(linesOf(page)[0]).toBe('| `one` | broken |  | 2026-01-31 10:00 | abc |');
  const without = withVerdicts(page, [], ['two']);
  expect(linesOf(without)).toHaveLength(1);
  expect(without).toContain('\n1 of 1 planted bugs were caught.\n');
});

test('the results of the simulator stay, whichever program writes first', () => {
  const history = recorded(createExample().entries);
  const run = sumUp({ plan: planRun({ seed: 7, minutes: 1 }), commit: 'abc', seconds: 1, history, violations: [] });
  const tried = [{ name: 'one', verdict: caught, ...first }];
  const page = withResult(withVerdicts('', tried, ['one']), run);
  expect(withVerdicts(withResult('', run), tried, ['one'])).toBe(page);
  const twice = withResult(page, run);
  expect(withVerdicts(twice, [], ['one'])).toBe(twice);
  expect(twice.split('\n').filter((line) => line.includes('| abc | 7 |'))).toHaveLength(2);
});
