import { planRun } from './schedule';
import { numbersIn, rangesOf, shrinkPlan, smallestFailing } from './shrink';

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const having =
  (...needed: number[]) =>
  (some: readonly number[]) =>
    Promise.resolve(needed.every((number) => some.includes(number)));

test.each([
  { title: 'nothing of an empty list', all: [], needed: [], smallest: [] },
  { title: 'nothing, if it fails without any', all: upTo(5), needed: [], smallest: [] },
  { title: 'the only one', all: [1], needed: [1], smallest: [1] },
  { title: 'the first of two', all: [1, 2], needed: [1], smallest: [1] },
  { title: 'the last of two', all: [1, 2], needed: [2], smallest: [2] },
  { title: 'both of two', all: [1, 2], needed: [1, 2], smallest: [1, 2] },
  { title: 'one of many', all: upTo(100), needed: [57], smallest: [57] },
  { title: 'some that are far apart, in their order', all: upTo(97), needed: [96, 1, 40], smallest: [1, 40, 96] },
  { title: 'all', all: upTo(9), needed: upTo(9), smallest: upTo(9) },
])('what still fails: $title', async ({ all, needed, smallest }) => {
  expect(await smallestFailing(all, having(...needed))).toEqual(smallest);
});

test('one of 1,024 is found in few runs', async () => {
  let runs = 0;
  const counted = (some: readonly number[]) => ((runs += 1), having(700)(some));
  expect(await smallestFailing(upTo(1_024), counted)).toEqual([700]);
  expect(runs).toBeLessThan(30);
});

const plan = { operations: upTo(40), faults: upTo(8) };

/** A service with a bug: after fault 3, operations 5 and 30 together break a promise. */
const buggy = ({ operations, faults }: typeof plan | { operations: readonly number[]; faults: readonly number[] }) =>
  Promise.resolve(
    faults.includes(3) && operations.includes(5) && operations.includes(30)
      ? ['money']
      : operations.length < 3
        ? ['events']
        : [],
  );

test('a plan shrinks to the faults and operations of the same violation', async () => {
  const lines: string[] = [];
  const shrunk = await shrinkPlan(plan, { run: buggy, runsMax: 200, tell: (line) => lines.push(line) });
  expect(shrunk).toEqual({ operations: [5, 30], faults: [3] });
  expect(lines[0]).toBe('Run 2: 40 operations, 0 faults: passes');
});

test('a plan that keeps all promises is not shrunk', async () => {
  const run = () => Promise.resolve([]);
  expect(await shrinkPlan(plan, { run, runsMax: 9, tell: () => undefined })).toBeUndefined();
});

test('the search ends after the given number of runs, with what failed last', async () => {
  let runs = 0;
  const run = (kept: Parameters<typeof buggy>[0]) => ((runs += 1), buggy(kept));
  const shrunk = await shrinkPlan(plan, { run, runsMax: 4, tell: () => undefined });
  expect(runs).toBe(4);
  expect(await buggy(shrunk ?? plan)).toEqual(['money']);
});

test.each([
  { text: 'none', numbers: [] },
  { text: '1', numbers: [1] },
  { text: '1-3,7,9-10', numbers: [1, 2, 3, 7, 9, 10] },
])('numbers are written as $text', ({ text, numbers }) => {
  expect(rangesOf(numbers)).toBe(text);
  expect(numbersIn('only-faults', text)).toEqual(numbers);
});

test.each(['', 'all', '1-', '-2', '1;2'])('"%s" names no numbers', (text) =>
  expect(() => numbersIn('only-faults', text)).toThrow('--only-faults must be numbers such as 1-3,7'),
);

test('a plan keeps the chosen operations and faults, unchanged and at their times', () => {
  const size = { seed: 42, minutes: 2 };
  const whole = planRun(size);
  const part = planRun({ ...size, kept: { operations: [2, 9], faults: [1, 4] } });
  expect(part.operations).toEqual([whole.operations[1], whole.operations[8]]);
  expect(part.faults).toEqual([whole.faults[0], whole.faults[3]]);
  expect([part.consumers, part.merchants, part.lengthMs]).toEqual([whole.consumers, whole.merchants, whole.lengthMs]);
  expect(part.options).toBe(`${whole.options} --only-operations 2,9 --only-faults 1,4`);
});

test('a plan that keeps everything has the same options', () => {
  const whole = planRun({ seed: 42, minutes: 1, operations: 5, faults: 2 });
  const kept = { operations: upTo(5), faults: upTo(2) };
  expect(planRun({ seed: 42, minutes: 1, operations: 5, faults: 2, kept })).toEqual(whole);
});
