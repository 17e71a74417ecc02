import { randomInt } from 'node:crypto';
import { subscription } from '../../workflows/subscription';
import { size } from '../support/size';
import { Lifetime, type SentRequest } from './lifetime';
import { findViolations } from './rules';
import { type Workflow } from './simulatedTemporal';
import { simulatedNow } from './workflowModule';

/**
 * The workflow of subscriptions decides in thousands of random lifetimes, with a simulated Temporal, provider and row. The
 * test runs in three time zones (test/architecture/timeZones).
 */

jest.mock(
  '@temporalio/workflow',
  () => jest.requireActual<{ workflowModule: object }>('./workflowModule').workflowModule,
);

const realNow = Date.now;
beforeAll(() => void (Date.now = simulatedNow));
afterAll(() => void (Date.now = realNow));

const run = subscription as Workflow<unknown>;

/** Set in the two other time zones. A rule that the zone breaks is broken in most lifetimes, so a tenth finds it. */
const isOtherZone = process.env['TEST_OTHER_ZONE'] !== undefined;

/** The full size is a third of a million in each of the three time zones, from other seeds each time. */
const { count, firstSeed } = size({
  usual: { count: isOtherZone ? 1_000 : 10_000, firstSeed: 1 },
  full: { count: 333_334, firstSeed: randomInt(2 ** 30) },
});

/**
 * Rare lifetimes, which run each time. 88003045: the run that charged for a stored retry was lost. 25466 and 70680: a run has to
 * settle a charge of the run before it.
 */
const rareSeeds = [88003045, 25466, 70680];

test('every rule holds in all lifetimes', async () => {
  const violations: string[] = [];
  const seen = new Set<string>();
  const lost = { tasks: 0, steps: 0 };
  const seeds = Array.from({ length: count }, (_, index) => firstSeed + index);
  for (const seed of [...rareSeeds, ...seeds]) {
    const lifetime = new Lifetime(seed, run);
    await lifetime.live();
    violations.push(...findViolations(lifetime).map((what) => `seed ${seed}: ${what}`));
    lost.tasks += lifetime.temporal.lostTasks;
    lost.steps += lifetime.history.lostSteps;
    for (const { after } of lifetime.history.steps) seen.add(after.state);
  }
  expect(violations).toEqual([]);
  expect(lost.tasks).toBeGreaterThan(count / 10);
  expect(lost.steps).toBeGreaterThan(0);
  expect([...seen].sort()).toEqual([
    'active',
    'canceled',
    'expired',
    'incomplete_expired',
    'on_hold',
    'past_due',
    'paused',
    'revoked',
    'trialing',
  ]);
});

test('the same seed gives the same lifetime', async () => {
  const [first, second] = [new Lifetime(42, run), new Lifetime(42, run)];
  await first.live();
  await second.live();
  expect(second.history.steps).toEqual(first.history.steps);
  expect(second.provider.ledger).toEqual(first.provider.ledger);
});

describe('a planted fault breaks its rule', () => {
  const faults: [string, (lifetime: Lifetime) => void][] = [
    ['one payment for each cycle', ({ provider: { ledger } }) => void ledger.push({ ...first(ledger) })],
    ['every payment is recorded', ({ charges }) => void delete first(charges.all).isRecorded],
    [
      'a payment has the price of its period',
      ({ charges }) => void charges.all.forEach((one) => (one.takenMinor += 1)),
    ],
    ['periods follow the calendar', ({ history }) => void (first(history.steps).after.periodEndMs += 3_600_000)],
    ['periods follow each other', ({ history }) => void (beginning(history.steps).after.periodStartMs += 1)],
    ['no period begins unpaid or unwanted', ({ history }) => void (beginning(history.steps).before.autoRenew = false)],
    [
      'a wait for the provider is no decline',
      ({ charges, history: { steps } }) => {
        const step = first(steps);
        step.reason = 'declined: later';
        step.before.deferral = { sinceMs: 0, tries: 1, nextTryMs: 0 };
        const { cycle, attempt } = step.after;
        const charge = charges.all.find((one) => one.cycle === cycle && one.attempt === attempt);
        Object.assign(charge ?? {}, { status: 'declined', decline: { reason: 'debit_given_up', class: 'later' } });
      },
    ],
    [
      'an answered change is in the history',
      ({ requests }) => void requests.push({ ...extension, answers: [{ run: 1, answer: { done: true, state: '' } }] }),
    ],
    [
      'a stored change comes before a later step',
      ({ history }) => void (beginning(history.steps).stored = [extension.input]),
    ],
    [
      'a revocation takes effect',
      ({ revocations, history }) => void revocations.push({ id: 'lost', sentMs: beginning(history.steps).nowMs }),
    ],
    ['states change as documented', ({ history }) => void (beginning(history.steps).before.state = 'canceled')],
    ['nothing stays due', ({ history }) => void (history.row.collectsAtMs = 0)],
    ['an erased account is not charged', (lifetime) => void (lifetime.erasedMs = 0)],
  ];
  test.each(faults)('%s', async (rule, plant) => {
    const lifetime = await quietLifetime();
    expect(findViolations(lifetime)).toEqual([]);
    plant(lifetime);
    expect(findViolations(lifetime).join('\n')).toContain(`${rule}: `);
  });
});

/** A lifetime that renews and goes on. */
async function quietLifetime(): Promise<Lifetime> {
  for (let seed = 1; ; seed += 1) {
    const lifetime = new Lifetime(seed, run);
    await lifetime.live();
    const renewals = lifetime.history.steps.filter(({ reason }) => reason === 'paid');
    const [opening] = lifetime.history.steps;
    if (renewals.length > 1 && opening?.reason === 'first payment' && lifetime.history.row.state === 'active')
      return lifetime;
  }
}

function first<T>(values: readonly T[]): T {
  const [value] = values;
  if (value === undefined) throw new Error('the list is empty');
  return value;
}

/** A request that the history does not contain. */
const extension: SentRequest = {
  input: { id: 'extend:lost', kind: 'extend', days: 1, atMs: 0, aheadMs: 0 },
  ...{ sentMs: 0, answers: [], isPromised: false },
};

const beginning = <T extends { reason: string }>(steps: readonly T[]) =>
  first(steps.filter(({ reason }) => reason === 'the period begins'));
