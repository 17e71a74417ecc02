import { nextTimer, type Timer } from '../../../src/billing/schedule';
import { type SubscriptionSnapshot } from '../../../workflows/messages';

/** The next timed step of a subscription. The period ends on day 30, and times are days. */

const dayMs = 86_400_000;
const periodEndMs = 30 * dayMs;

const snapshotOf = (part: Partial<SubscriptionSnapshot>): SubscriptionSnapshot => ({
  version: 1,
  state: 'active',
  autoRenew: true,
  cycle: 1,
  attempt: 1,
  periodEndMs,
  pausesAtPeriodEnd: false,
  dueMinor: 0,
  reminded: [],
  ...part,
});

const next = (part: Partial<SubscriptionSnapshot>) => nextTimer(snapshotOf(part));
const onDay = (day: number, what: Timer['what'], summary: string) => ({ what, atMs: day * dayMs, summary });
const mailOnDay = (day: number, reminder: string) => ({
  what: 'remind',
  reminder,
  atMs: day * dayMs,
  summary: `mail: ${reminder}`,
});

describe('active', () => {
  test('the subscription renews at the end of the period', () =>
    expect(next({})).toEqual(onDay(30, 'renew', 'period ends, next charge')));

  test('a canceled one ends, even if it was going to be paused', () => {
    const end = onDay(30, 'end', 'period ends, no renewal');
    expect(next({ autoRenew: false })).toEqual(end);
    expect(next({ autoRenew: false, pausesAtPeriodEnd: true })).toEqual(end);
  });

  test('a pause begins at the end of the period', () =>
    expect(next({ pausesAtPeriodEnd: true })).toEqual(onDay(30, 'pause', 'period ends, pause begins')));
});

describe('an open charge', () => {
  const dunning = { graceDays: 7, retryDays: [1], failedMs: 0, retries: 0, sooner: 0, nextRetryMs: dayMs };

  test('of the current period comes before every other step, also if it began at 0', () => {
    const processing = { nextLookMs: dayMs };
    const collect = onDay(0, 'collect', 'charge for the current period');
    expect(next({ collectsAtMs: 0, processing, dunning, state: 'past_due' })).toEqual(collect);
  });

  test.each(['active', 'past_due', 'paused', 'canceled'] as const)(
    'at the bank delays every other step of a subscription that is %s',
    (state) => {
      const look = onDay(40, 'look', 'ask about the direct debit');
      expect(next({ state, processing: { nextLookMs: 40 * dayMs }, dunning })).toEqual(look);
    },
  );
});

describe('a trial', () => {
  const trialOf = (endDay: number, part: Partial<SubscriptionSnapshot> = {}) =>
    next({
      state: 'trialing',
      trial: { startMs: 0, endMs: endDay * dayMs },
      periodEndMs: endDay * dayMs,
      ...part,
    });

  test('is announced three days before its end, and then renews', () => {
    expect(trialOf(14)).toEqual(mailOnDay(11, 'trial_ends'));
    expect(trialOf(14, { reminded: ['trial_ends'] })).toEqual(onDay(14, 'renew', 'trial ends, next charge'));
    expect(trialOf(14, { reminded: ['access_ends'] })).toEqual(mailOnDay(11, 'trial_ends'));
  });

  test('of three days is announced one day before its end', () =>
    expect(trialOf(3)).toEqual(mailOnDay(2, 'trial_ends')));

  test('that was canceled is not announced', () => {
    const end = onDay(14, 'end', 'trial ends, no renewal');
    expect(trialOf(14, { autoRenew: false, isCanceled: true })).toEqual(end);
    expect(trialOf(14, { autoRenew: false })).toEqual(end);
  });

  test('without a card is announced, because a card can still be added', () =>
    expect(trialOf(14, { autoRenew: false, isCanceled: false })).toEqual(mailOnDay(11, 'trial_ends')));

  test('whose dates are not known only ends', () =>
    expect(next({ state: 'trialing' })).toEqual(onDay(30, 'renew', 'trial ends, next charge')));
});

describe('past due', () => {
  const dunning = { graceDays: 7, retryDays: [1, 3, 9], failedMs: 0, retries: 0, sooner: 0 };
  const pastDue = (part: Partial<typeof dunning & { nextRetryMs: number }>, reminded: string[] = []) =>
    next({ state: 'past_due', dunning: { ...dunning, ...part }, reminded });
  const all = ['payment_reminder', 'access_ends'];

  test('the retry comes first', () =>
    expect(pastDue({ nextRetryMs: dayMs })).toEqual(onDay(1, 'retry', 'next charge attempt')));

  test('of two steps at the same time, the retry comes first', () =>
    expect(pastDue({ nextRetryMs: 3 * dayMs })).toEqual(onDay(3, 'retry', 'next charge attempt')));

  test('mails are sent on the third day and one day before the grace period ends', () => {
    expect(pastDue({})).toEqual(mailOnDay(3, 'payment_reminder'));
    expect(pastDue({}, ['payment_reminder'])).toEqual(mailOnDay(6, 'access_ends'));
    expect(pastDue({ failedMs: dayMs }, ['payment_reminder'])).toEqual(mailOnDay(7, 'access_ends'));
  });

  test('then the grace period ends', () => expect(pastDue({}, all)).toEqual(onDay(7, 'hold', 'grace ends')));

  test('the retries may end before the grace period', () =>
    expect(pastDue({ retryDays: [1, 5] }, all)).toEqual(onDay(5, 'expire', 'retries end')));

  test.each([
    [4, mailOnDay(3, 'payment_reminder')],
    [3, mailOnDay(2, 'access_ends')],
    [2, mailOnDay(1, 'access_ends')],
    [1, onDay(1, 'hold', 'grace ends')],
    [0, onDay(0, 'hold', 'grace ends')],
  ])('with %i days of grace, only mails within them are sent', (graceDays, first) =>
    expect(pastDue({ graceDays })).toEqual(first),
  );

  test('a mail on the third day waits for the end of no grace period', () =>
    expect(pastDue({ graceDays: 3 }, ['access_ends'])).toEqual(onDay(3, 'hold', 'grace ends')));

  test('without a known failure, access ends with the period', () =>
    expect(next({ state: 'past_due' })).toEqual(onDay(30, 'hold', 'grace ends')));
});

describe('on hold', () => {
  const dunning = { graceDays: 7, retryDays: [1, 9], failedMs: 0, retries: 1, sooner: 0 };
  const onHold = (part: Partial<SubscriptionSnapshot>) => next({ state: 'on_hold', dunning, ...part });

  test('no mail and no second end of grace is due, only the retry and the end', () => {
    const retried = { ...dunning, nextRetryMs: 8 * dayMs };
    expect(onHold({ dunning: retried })).toEqual(onDay(8, 'retry', 'next charge attempt'));
    expect(onHold({})).toEqual(onDay(9, 'expire', 'retries end'));
  });

  test('without a known failure, the subscription expires with the period', () =>
    expect(next({ state: 'on_hold' })).toEqual(onDay(30, 'expire', 'retries end')));
});

describe('a wait for the provider', () => {
  const deferral = { sinceMs: 0, tries: 1, nextTryMs: 5 * dayMs, graceEndsMs: 7 * dayMs };
  const dunning = { graceDays: 7, retryDays: [1], failedMs: 0, retries: 0, sooner: 0, nextRetryMs: dayMs };
  const later = { ...deferral, nextTryMs: 100 * dayMs };
  const tryAgain = onDay(5, 'retry', 'next charge attempt, after a fault at the provider');
  const giveUp = onDay(90, 'expire', 'end of the wait for the provider');

  test('of an active subscription: the next attempt, the end of grace, and the end after 90 days', () => {
    expect(next({ deferral })).toEqual(tryAgain);
    expect(next({ deferral: later })).toEqual(onDay(7, 'hold', 'grace ends'));
    expect(next({ deferral: { ...later, graceEndsMs: 100 * dayMs } })).toEqual(giveUp);
    expect(next({ deferral: { ...later, graceEndsMs: 100 * dayMs, sinceMs: dayMs } })?.atMs).toBe(91 * dayMs);
  });

  test('of one that is past due: retries and the end of dunning do not apply, and its mails do', () => {
    const reminded = ['payment_reminder', 'access_ends'];
    expect(next({ state: 'past_due', deferral, dunning, reminded })).toEqual(tryAgain);
    expect(next({ state: 'past_due', deferral, dunning })).toEqual(mailOnDay(3, 'payment_reminder'));
    expect(next({ state: 'past_due', deferral })).toEqual(tryAgain);
  });

  test('of one on hold: access has ended already', () => {
    expect(next({ state: 'on_hold', deferral, dunning })).toEqual(tryAgain);
    expect(next({ state: 'on_hold', deferral: later })).toEqual(giveUp);
  });
});

describe('without payments', () => {
  test('a pause lasts until its end, also if that is 0, or until the customer ends it', () => {
    expect(next({ state: 'paused', resumesAtMs: 40 * dayMs })).toEqual(onDay(40, 'resume', 'pause ends'));
    expect(next({ state: 'paused', resumesAtMs: 0 })).toEqual(onDay(0, 'resume', 'pause ends'));
    expect(next({ state: 'paused' })).toBeUndefined();
  });

  test('a revoked subscription is over at the end of its period', () =>
    expect(next({ state: 'revoked' })).toEqual(onDay(30, 'finish', 'end of the time in which access can be restored')));

  test.each(['canceled', 'expired'] as const)('nothing is due for a subscription that is %s', (state) =>
    expect(next({ state })).toBeUndefined(),
  );
});
