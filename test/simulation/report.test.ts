import { createExample, recorded } from './example';
import { type Entry, type Happened } from './history';
import { describe as describeOutcome, sumUp, withResult } from './report';
import { planRun } from './schedule';

const fault = (what: Happened['what'], state: Happened['state'] = 'begins'): Entry => ({
  kind: 'fault',
  what,
  state,
  number: 1,
  target: 'API',
  replica: 0,
  lengthMs: 0,
  atMs: 0,
});

const history = recorded([
  ...createExample().entries,
  ...[fault('kill'), fault('kill two'), fault('lose'), fault('cut before'), fault('freeze'), fault('freeze', 'ends')],
  fault('kill', 'missed'),
]);
const violation = { rule: 'money', what: 'S-1 was charged twice', lines: [7, 8] };
const outcome = sumUp({
  plan: planRun({ seed: 7, minutes: 1 }),
  commit: 'abc',
  seconds: 61.4,
  history,
  violations: [violation],
});

test('counts what happened: operations, requests, events and faults, but no missed ones', () => {
  expect(outcome).toMatchObject({
    seed: 7,
    seconds: 61,
    operations: 13,
    reads: 4,
    answered: 13,
    requests: 16,
    events: 4,
    kills: 4,
  });
  expect(outcome.faults).toEqual({ 'kill API': 1, 'kill two': 1, lose: 1, 'cut before': 1, 'freeze API': 1 });
});

test('the text shows each violation with the lines that prove it', () => {
  const text = describeOutcome(outcome, history);
  expect(text).toContain('VIOLATION of money: S-1 was charged twice');
  expect(text).toContain(JSON.stringify(history[6]));
  expect(text).toMatch(/1 violations$/);
});

test('a result is a line of a table, and the first one brings its head', () => {
  const first = withResult('', outcome);
  expect(first).toMatch(
    /\| abc \| 7 \| 61 \| 9 \| 4 \| 16 \| 4 \| 4 \| 2 \| 1 \| --seed 7 --minutes 1 --operations 900 --faults 5 --kills 0 \|\n$/,
  );
  expect(withResult(first, outcome)).toBe(first + first.split('\n').at(-2) + '\n');
});
