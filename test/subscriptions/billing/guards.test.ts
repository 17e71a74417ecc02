import { notBegunYet, refusalOf } from '../../../src/billing/guards';
import { type Change, type SubscriptionSnapshot } from '../../../workflows/messages';

/** Which changes the state of a subscription allows, and the reason for each refusal. */

type State = SubscriptionSnapshot['state'];

const snapshotOf = (part: Partial<SubscriptionSnapshot>): SubscriptionSnapshot => ({
  version: 1,
  state: 'active',
  autoRenew: true,
  cycle: 1,
  attempt: 1,
  periodEndMs: 0,
  pausesAtPeriodEnd: false,
  dueMinor: 0,
  reminded: [],
  ...part,
});

const changes = {
  cancel: { kind: 'cancel', at: 'period_end', reason: 'other' },
  cancelNow: { kind: 'cancel', at: 'now', reason: 'other' },
  resume: { kind: 'resume' },
  pause: { kind: 'pause' },
  extend: { kind: 'extend', days: 1 },
  retry: { kind: 'retry' },
  switch: { kind: 'switch', accessFeeId: 1 },
  useCard: { kind: 'useCard', cardId: 1 },
  takeOffer: { kind: 'takeOffer', presentationId: 1 },
} satisfies Record<string, Change>;
type Name = keyof typeof changes;

const refusal = (name: Name, part: Partial<SubscriptionSnapshot>) => refusalOf(changes[name], snapshotOf(part));
const waiting = { deferral: { sinceMs: 0, tries: 1, nextTryMs: 1, graceEndsMs: 2 } };
const processing = { processing: { nextLookMs: 1 } };
const names = Object.keys(changes) as Name[];

const nothingToResume = 'There is nothing to resume: the subscription is neither canceled nor paused.';
const atTheBank = 'The payment is still being processed by the bank.';
const noPauseWhileOpen = 'A subscription cannot be paused while its payment is open.';
const noExtensionWhileOpen = 'A subscription cannot be extended while its payment is open.';
const noOfferWhileOpen = 'An offer cannot be accepted while a payment is open.';
const noSwitchWhileOpen = 'The plan cannot be changed while a payment is open.';
const noRenewalNoOffer = 'A subscription that does not renew has no offer.';

test.each(names)('before the first period, %s is refused', (name) =>
  expect(refusalOf(changes[name], undefined)).toBe(notBegunYet),
);

test('a pending first payment can be given up, and a subscription that has begun cannot', () => {
  expect(refusalOf({ kind: 'giveUp' }, undefined)).toBeUndefined();
  expect(refusalOf({ kind: 'giveUp' }, snapshotOf({}))).toBe('The subscription has begun.');
});

describe.each<State>(['canceled', 'expired', 'revoked'])('a subscription that is %s', (state) => {
  test.each(names)('refuses %s', (name) => expect(refusal(name, { state })).toBe(`The subscription is ${state}.`));

  test.each(names)('refuses %s while it waits for its provider', (name) =>
    expect(refusal(name, { state, ...waiting })).toBe(`The subscription is ${state}.`),
  );

  test('refuses a resumption without a renewal as well', () =>
    expect(refusal('resume', { state, autoRenew: false })).toBe(`The subscription is ${state}.`));
});

test.each<State>(['trialing', 'active', 'past_due', 'on_hold', 'paused'])('a card can be used while %s', (state) => {
  expect(refusal('useCard', { state })).toBeUndefined();
  expect(refusal('useCard', { state, ...waiting, ...processing })).toBeUndefined();
});

describe('cancel', () => {
  test.each<State>(['trialing', 'active', 'past_due', 'on_hold', 'paused'])('a subscription that is %s', (state) => {
    expect(refusal('cancel', { state })).toBeUndefined();
    expect(refusal('cancelNow', { state })).toBeUndefined();
  });

  test.each<State>(['trialing', 'active'])('a canceled one that is %s only at once', (state) => {
    const already = 'The subscription is canceled already.';
    expect(refusal('cancel', { state, autoRenew: false })).toBe(already);
    expect(refusal('cancel', { state, autoRenew: false, isCanceled: true })).toBe(already);
    expect(refusal('cancelNow', { state, autoRenew: false })).toBeUndefined();
  });

  test('a trial without a card', () =>
    expect(refusal('cancel', { state: 'trialing', autoRenew: false, isCanceled: false })).toBeUndefined());

  test('an unpaid one that does not renew', () => {
    expect(refusal('cancel', { state: 'past_due', autoRenew: false })).toBeUndefined();
    expect(refusal('cancel', { ...waiting, autoRenew: false })).toBeUndefined();
  });
});

describe('resume', () => {
  test.each<State>(['trialing', 'active'])('a canceled or pausing one that is %s, and no other', (state) => {
    expect(refusal('resume', { state, autoRenew: false })).toBeUndefined();
    expect(refusal('resume', { state, pausesAtPeriodEnd: true })).toBeUndefined();
    expect(refusal('resume', { state })).toBe(nothingToResume);
  });

  test('a paused one, unless the bank decides on its payment', () => {
    expect(refusal('resume', { state: 'paused' })).toBeUndefined();
    expect(refusal('resume', { state: 'paused', ...processing })).toBe(atTheBank);
    expect(refusal('resume', { autoRenew: false, ...processing })).toBeUndefined();
  });

  test.each([{ state: 'past_due' }, { state: 'on_hold' }, waiting] as const)('no unpaid one: %j', (part) =>
    expect(refusal('resume', { ...part, autoRenew: false, pausesAtPeriodEnd: true })).toBe(nothingToResume),
  );
});

describe('pause', () => {
  test('an active one that renews, once', () => {
    expect(refusal('pause', {})).toBeUndefined();
    expect(refusal('pause', { autoRenew: false })).toBe('A subscription that is canceled cannot be paused.');
    expect(refusal('pause', { pausesAtPeriodEnd: true })).toBe('The subscription is going to be paused already.');
  });

  test.each<State>(['trialing', 'past_due', 'on_hold', 'paused'])('none that is %s', (state) =>
    expect(refusal('pause', { state })).toBe(`A subscription that is ${state} cannot be paused.`),
  );

  test.each([waiting, processing])('none with an open payment: %j', (part) =>
    expect(refusal('pause', part)).toBe(noPauseWhileOpen),
  );
});

describe('extend', () => {
  test.each<State>(['trialing', 'active'])('one that is %s, whether it renews or not', (state) => {
    expect(refusal('extend', { state })).toBeUndefined();
    expect(refusal('extend', { state, autoRenew: false, pausesAtPeriodEnd: true })).toBeUndefined();
  });

  test.each<State>(['past_due', 'on_hold', 'paused'])('none that is %s', (state) =>
    expect(refusal('extend', { state })).toBe(`A subscription that is ${state} cannot be extended.`),
  );

  test.each([waiting, processing])('none with an open payment: %j', (part) =>
    expect(refusal('extend', part)).toBe(noExtensionWhileOpen),
  );
});

describe('takeOffer', () => {
  test('an active one that renews', () => {
    expect(refusal('takeOffer', {})).toBeUndefined();
    expect(refusal('takeOffer', { autoRenew: false })).toBe(noRenewalNoOffer);
    expect(refusal('takeOffer', { pausesAtPeriodEnd: true })).toBe(noRenewalNoOffer);
  });

  test.each<State>(['trialing', 'past_due', 'on_hold', 'paused'])('none that is %s', (state) =>
    expect(refusal('takeOffer', { state })).toBe(`A subscription that is ${state} has no offer.`),
  );

  test.each([waiting, processing])('none with an open payment: %j', (part) =>
    expect(refusal('takeOffer', part)).toBe(noOfferWhileOpen),
  );
});

describe('retry', () => {
  test.each([{ state: 'past_due' }, { state: 'on_hold' }, waiting] as const)('an unpaid one: %j', (part) => {
    expect(refusal('retry', part)).toBeUndefined();
    expect(refusal('retry', { ...part, ...processing })).toBe(atTheBank);
  });

  test.each<State>(['trialing', 'active', 'paused'])('none that is %s', (state) =>
    expect(refusal('retry', { state })).toBe('There is no payment to retry.'),
  );
});

describe('switch', () => {
  test.each<State>(['trialing', 'active'])('one that is %s and renews', (state) => {
    expect(refusal('switch', { state })).toBeUndefined();
    expect(refusal('switch', { state, autoRenew: false })).toBe(
      'The plan of a canceled subscription cannot be changed.',
    );
  });

  test.each<State>(['past_due', 'on_hold', 'paused'])('none that is %s', (state) =>
    expect(refusal('switch', { state })).toBe(`The plan of a subscription that is ${state} cannot be changed.`),
  );

  test.each([waiting, processing])('none with an open payment: %j', (part) =>
    expect(refusal('switch', part)).toBe(noSwitchWhileOpen),
  );
});
