import fc from 'fast-check';
import { stepOf, type LastStep, type StoreReport } from '../../src/ledger/storeSteps';

/** The steps of a store's subscription between two answers of its store. */

const usual = { amountMinor: 400, currency: 'EUR', isNewPayment: true, goesOnPaid: false };
const paid: StoreReport = { ...usual, state: 'active', counts: true };
const free: StoreReport = { ...usual, state: 'trialing', counts: false };
const late: StoreReport = { ...usual, state: 'past_due', counts: true, isNewPayment: false };
const over: StoreReport = { ...usual, state: 'expired', counts: false, isNewPayment: false };

function live(...standings: StoreReport[]) {
  let last: LastStep | undefined;
  return standings.map((snapshot) => {
    const step = stepOf(last, snapshot);
    last = step ?? last;
    return step?.occasions;
  });
}

test.each([
  ['a first payment and a renewal', [paid, paid], [[], ['renewed']]],
  ['the same told twice', [paid, { ...paid, isNewPayment: false }], [[], undefined]],
  ['a trial that is paid for', [free, paid, paid], [['trial_started'], ['trial_converted'], ['renewed']]],
  ['a trial that ends', [free, over], [['trial_started'], ['trial_lost']]],
  [
    'a trial that a paid plan replaces',
    [free, { ...over, goesOnPaid: true }],
    [['trial_started'], ['trial_converted']],
  ],
  ['a payment that fails and is paid', [paid, late, paid], [[], ['dunning_failed'], ['renewed', 'dunning_recovered']]],
  [
    'a payment that fails for good',
    [paid, late, { ...late, state: 'on_hold', counts: false }, over],
    [[], ['dunning_failed'], [], ['dunning_lost']],
  ],
  ['one that comes back', [paid, over, paid], [[], [], []]],
] as const)('%s', (_what, standings, occasions) => expect(live(...standings)).toEqual(occasions));

test('what was lost is worth what was to be paid, whatever the store tells of its price by then', () => {
  const failed = stepOf(stepOf(undefined, paid), late);
  expect(stepOf(failed, { ...over, amountMinor: 900, currency: 'USD' })).toMatchObject({
    amountMinor: 400,
    currency: 'EUR',
  });
});

test('trials and failures that have begun are decided once, or are still open', () => {
  const snapshot = fc.record({
    state: fc.constantFrom(
      ...([
        'incomplete',
        'trialing',
        'active',
        'past_due',
        'on_hold',
        'paused',
        'canceled',
        'expired',
        'revoked',
      ] as const),
    ),
    amountMinor: fc.constantFrom(400, 900),
    currency: fc.constantFrom('EUR', 'USD'),
    isNewPayment: fc.boolean(),
    goesOnPaid: fc.constant(false),
  });
  fc.assert(
    fc.property(fc.array(snapshot, { maxLength: 20 }), (told) => {
      let last: LastStep | undefined;
      const counted = new Map<string, number>();
      for (const each of told) {
        const step = stepOf(last, { ...each, counts: each.state === 'active' || each.state === 'past_due' });
        for (const what of step?.occasions ?? []) counted.set(what, (counted.get(what) ?? 0) + 1);
        last = step ?? last;
      }
      const count = (what: string) => counted.get(what) ?? 0;
      const isOpen = last?.inTrial === true ? 1 : 0;
      expect(count('trial_started')).toBe(count('trial_converted') + count('trial_lost') + isOpen);
      expect(count('dunning_failed')).toBeGreaterThanOrEqual(count('dunning_recovered') + count('dunning_lost'));
    }),
  );
});
