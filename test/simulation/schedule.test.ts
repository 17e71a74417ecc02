import { faultKinds, isRead, planPurchases, planRun } from './schedule';

const size = { seed: 42, minutes: 10 };

test('the same seed gives the same plan', () => expect(planRun(size)).toEqual(planRun(size)));

test('another seed gives another plan', () => {
  const [one, other] = [planRun(size), planRun({ ...size, seed: 43 })];
  expect(other.operations).not.toEqual(one.operations);
  expect(other.faults).not.toEqual(one.faults);
});

test('operations and faults are in order and within the length of the run', () => {
  const { operations, faults, lengthMs, consumers } = planRun(size);
  for (const times of [operations, faults].map((list) => list.map(({ atMs }) => atMs))) {
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.every((atMs) => atMs >= 0 && atMs < lengthMs)).toBe(true);
  }
  expect(operations.every(({ consumer }) => consumer < consumers)).toBe(true);
});

test('a long plan has every kind of fault, and no kind of operation is missing', () => {
  const { operations, faults } = planRun({ seed: 1, minutes: 60 });
  // Only a run that ends with a restore makes a backup.
  expect(new Set(faults.map(({ what }) => what))).toEqual(new Set(faultKinds.filter((kind) => kind !== 'backup')));
  expect(new Set(operations.map(({ what }) => what)).size).toBe(21);
});

test('each consumer begins with a subscription and a payment', () => {
  const { operations, consumers } = planRun(size);
  const begun = [...Map.groupBy(operations, ({ consumer }) => consumer).values()];
  expect(begun.length).toBeGreaterThan(consumers * 0.9);
  for (const [first, second] of begun) {
    expect(first?.what).toBe('subscribe');
    if (second) expect(second.what).toBe('pay');
  }
});

test('in a long run new consumers come while others go', () => {
  const { operations, consumers } = planRun({ seed: 5, minutes: 60 });
  const { length } = operations;
  const at = (from: number, to: number) => operations.slice(length * from, length * to).map(({ consumer }) => consumer);
  expect(Math.max(...at(0, 0.1))).toBeLessThan(consumers * 0.2);
  expect(Math.min(...at(0.9, 1))).toBeGreaterThan(consumers * 0.8);
});

test('the counts can be given', () => {
  const { operations, faults } = planRun({ ...size, operations: 40, faults: 4 });
  expect([operations.length, faults.length]).toEqual([40, 4]);
});

test('kills come besides the faults, and leave them and the operations as they are', () => {
  const [plan, more] = [planRun(size), planRun({ ...size, kills: 30 })];
  expect(more.operations).toEqual(plan.operations);
  const withoutNumbers = (faults: readonly object[]) => faults.map((one) => ({ ...one, number: 0 }));
  expect(withoutNumbers(more.faults)).toEqual(expect.arrayContaining(withoutNumbers(plan.faults)));
  expect(more.faults.length).toBe(plan.faults.length + 30);
  expect(more.faults.map(({ number }) => number)).toEqual(more.faults.map((_, index) => index + 1));
});

test('a run that is restored makes one backup, in its middle', () => {
  const { faults, options, lengthMs } = planRun({ ...size, isRestored: true });
  const backups = faults.filter(({ what }) => what === 'backup');
  expect(backups.map(({ atMs }) => atMs)).toEqual([lengthMs / 2]);
  expect(options).toMatch(/ --restore$/);
});

test('about half of the operations read', () => {
  const { operations } = planRun({ seed: 1, minutes: 60 });
  const share = operations.filter(({ what }) => isRead(what)).length / operations.length;
  expect(share).toBeGreaterThan(0.4);
  expect(share).toBeLessThan(0.6);
});

test('a run without faults has none', () => expect(planRun({ ...size, faults: 0 }).faults).toEqual([]));

test('a plan of purchases is a steady load without faults, in which each consumer subscribes once', () => {
  const { operations, faults, lengthMs } = planPurchases({ seed: 3, minutes: 2, perSecond: 5 });
  expect([operations.length, faults, lengthMs]).toEqual([600, [], 120_000]);
  expect(operations.map(({ atMs }) => atMs)).toEqual(operations.map((_, index) => index * 200));
  const subscribing = operations.filter(({ what }) => what === 'subscribe').map(({ consumer }) => consumer);
  expect(new Set(subscribing)).toEqual(new Set(operations.map(({ consumer }) => consumer)));
  expect(subscribing.length).toBe(new Set(subscribing).size);
  expect(operations.every(({ what, withKey }) => withKey && ['subscribe', 'pay'].includes(what))).toBe(true);
});
