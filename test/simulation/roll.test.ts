import { createExample, recorded } from './example';
import { describeRoll, findFailed, sumUpRoll, withRollResult } from './roll';
import { planPurchases } from './schedule';

const named = { actor: 'consumer 1', operation: 1, attempt: 1 };
const history = recorded([
  ...createExample().entries,
  { kind: 'unheard', ...named, reason: 'other side closed' },
  { kind: 'answered', ...named, status: 503, body: {} },
]);
const violations = [
  { rule: 'events', what: 'consumer 1 did not hear event 2', lines: [] },
  { rule: 'money', what: 'S-1 cycle 1 was charged 2 times', lines: [] },
  { rule: 'access', what: 'S-1 is active and has 0 accesses', lines: [] },
];
const outcome = sumUpRoll({
  plan: planPurchases({ seed: 7, minutes: 1, perSecond: 2 }),
  commit: 'abc',
  seconds: 61.4,
  history,
  violations,
  restarts: [{ name: 'API 1', seconds: 4.25 }],
});

test('a request without an answer and an answer with an error are failed requests', () => {
  const lost = history.find(({ kind }) => kind === 'unheard');
  expect(findFailed(history)).toEqual([lost, ...history.slice(-2)]);
  expect(outcome.failed).toHaveLength(3);
});

test('counts lost events and double charges apart from other violations', () => {
  expect(outcome).toMatchObject({ purchases: 120, lostEvents: 1, doubleCharges: 1, violations });
});

test('the text names the restarted parts, and each failed request and violation', () => {
  const text = describeRoll(outcome);
  expect(text).toContain('Restarted: API 1 (4.3 s)');
  expect(text).toContain('other side closed');
  expect(text).toContain('VIOLATION of access: S-1 is active and has 0 accesses');
  expect(text).toMatch(/3 failed requests, 1 lost events, 1 double charges, 3 violations$/);
});

test('a result is a line of a table, and the first one brings its head', () => {
  const first = withRollResult('', outcome);
  expect(first).toMatch(
    /\| 1 \| 3 \| 1 \| 1 \| 1 \| --roll --seed 7 --minutes 1 --per-second 2 \| \d+\.\d on \d+ processors \|\n$/,
  );
  expect(withRollResult(first, outcome)).toBe(first + first.split('\n').at(-2) + '\n');
});
