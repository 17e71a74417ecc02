import fc from 'fast-check';
import {
  accessEnd,
  isServed,
  nextLook,
  unnamedGraceMs,
  type PurchaseTiming,
} from '../../src/externalPayments/purchases/timing';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const present = new Date('2030-01-31T12:00:00Z');
const month = { quantity: 1, period: 'month' } as const;
const after = (ms: number) => new Date(present.getTime() + ms);

const around = fc.integer({ min: -400, max: 400 }).map((hours) => after(hours * hourMs));
const maybe = fc.option(around);
const snapshot: fc.Arbitrary<PurchaseTiming> = fc.record({
  kind: fc.constantFrom('subscription', 'one_time'),
  state: fc.constantFrom('pending', 'active', 'grace', 'on_hold', 'paused', 'expired', 'revoked'),
  autoRenew: fc.boolean(),
  purchasedAt: fc.integer({ min: -10_000, max: 0 }).map((hours) => after(hours * hourMs)),
  expiresAt: maybe,
  graceEndsAt: maybe,
  resumesAt: maybe,
  revokedAt: maybe,
  accessEndsAt: maybe,
});

const base: PurchaseTiming = {
  kind: 'subscription',
  state: 'active',
  autoRenew: true,
  purchasedAt: after(-dayMs),
  expiresAt: after(dayMs),
  graceEndsAt: null,
  resumesAt: null,
  revokedAt: null,
  accessEndsAt: after(dayMs),
};

test.each([
  ['pending', false],
  ['active', true],
  ['grace', true],
  ['on_hold', false],
  ['paused', false],
  ['expired', false],
  ['revoked', false],
] as const)('a purchase that is %s gives access: %p', (state, gives) => expect(isServed(state)).toBe(gives));

test('a store that names no end of its grace gives three days', () => expect(unnamedGraceMs).toBe(3 * dayMs));

describe('until when a purchase gives access', () => {
  test.each([
    [
      'in grace that ends before the period: to the end of the period',
      { state: 'grace', graceEndsAt: after(1) },
      after(dayMs),
    ],
    ['in grace without a known end of that: to the end of the period', { state: 'grace' }, after(dayMs)],
    ['in grace without any known end: to now', { state: 'grace', expiresAt: null }, present],
    [
      'in grace without an end of the period: to its own',
      { state: 'grace', expiresAt: null, graceEndsAt: after(1) },
      after(1),
    ],
    ['given back at an unknown time: now', { state: 'revoked' }, present],
    ['given back without access: none', { state: 'revoked', accessEndsAt: null }, null],
    ['expired without access: none', { state: 'expired', accessEndsAt: null }, null],
    ['expired after its access: then', { state: 'expired', accessEndsAt: after(-2), expiresAt: after(-1) }, after(-2)],
    ['on hold without any known end: now', { state: 'on_hold', expiresAt: null }, present],
    ['one that renews: an hour past its end', {}, after(dayMs + hourMs)],
    ['one that does not: to its end', { autoRenew: false }, after(dayMs)],
    ['in grace: to the end of that', { state: 'grace', graceEndsAt: after(3 * dayMs) }, after(3 * dayMs)],
    ['not paid yet: none', { state: 'pending' }, null],
    ['on hold: to its end, and no longer than until now', { state: 'on_hold', expiresAt: after(-1) }, after(-1)],
    [
      'on hold after grace: what grace gave stays given',
      { state: 'on_hold', expiresAt: after(-9), graceEndsAt: after(-3) },
      after(-3),
    ],
    ['paused before its end: now', { state: 'paused' }, present],
    ['given back: at once', { state: 'revoked', revokedAt: after(-hourMs) }, after(-hourMs)],
    ['given back after it had ended: then', { state: 'revoked', accessEndsAt: after(-dayMs) }, after(-dayMs)],
    [
      'bought once: for as long as the fee says',
      { kind: 'one_time', expiresAt: null },
      new Date('2030-02-28T12:00:00Z'),
    ],
  ] as const)('%s', (_what, changes, end) => {
    const purchase = { ...base, purchasedAt: present, ...changes };
    expect(accessEnd(purchase, month, present)).toEqual(end);
  });

  test('what is not served never gives more than it gave, and never past now', () => {
    fc.assert(
      fc.property(snapshot, (purchase) => {
        fc.pre(!['active', 'grace'].includes(purchase.state));
        const end = accessEnd(purchase, month, present);
        if (end === null) return;
        expect(end <= present).toBe(true);
        expect(end.getTime()).toBeLessThanOrEqual(purchase.accessEndsAt?.getTime() ?? Infinity);
      }),
    );
  });

  test('asked again later, with nothing changed, what is not served answers the same', () => {
    fc.assert(
      fc.property(snapshot, fc.integer({ min: 0, max: 100 }), (purchase, hours) => {
        fc.pre(!['active', 'grace'].includes(purchase.state));
        const end = accessEnd(purchase, month, present);
        expect(accessEnd({ ...purchase, accessEndsAt: end }, month, after(hours * hourMs))).toEqual(end);
      }),
    );
  });
});

describe('when the store is asked next', () => {
  const minuteMs = 60_000;
  const lookIn = (changes: Partial<PurchaseTiming>, spread = 0) => {
    const next = nextLook({ ...base, expiresAt: null, ...changes }, present, spread);
    return next && next.getTime() - present.getTime();
  };
  const over = (ms: number) => after(-ms);

  test('while it is pending: after ten minutes, and each purchase some seconds later', () => {
    expect(lookIn({ state: 'pending' })).toBe(10 * minuteMs);
    expect(lookIn({ state: 'pending' }, 59)).toBe(10 * minuteMs + 59_000);
    expect(lookIn({ state: 'pending' }, 60)).toBe(10 * minuteMs);
    expect(lookIn({ state: 'pending' }, 61)).toBe(10 * minuteMs + 1000);
  });

  test.each([
    [{ state: 'expired', expiresAt: over(3 * dayMs) }, dayMs],
    [{ state: 'expired', expiresAt: over(3 * dayMs + 1) }, 7 * dayMs],
    [{ state: 'expired', expiresAt: over(60 * dayMs) }, 7 * dayMs],
    [{ state: 'expired', expiresAt: over(60 * dayMs + 1) }, null],
    [{ state: 'expired', expiresAt: over(90 * dayMs), revokedAt: over(dayMs) }, dayMs],
    [{ state: 'expired', expiresAt: over(dayMs), revokedAt: over(90 * dayMs) }, dayMs],
    [{ state: 'expired', expiresAt: over(90 * dayMs), graceEndsAt: over(dayMs) }, dayMs],
    [{ state: 'expired', expiresAt: over(dayMs), graceEndsAt: over(90 * dayMs) }, dayMs],
    [{ state: 'expired', purchasedAt: over(90 * dayMs) }, null],
    [{ state: 'expired', purchasedAt: over(3 * dayMs) }, dayMs],
    [{ state: 'revoked', revokedAt: over(60 * dayMs + 1) }, null],
    [{ state: 'revoked', revokedAt: over(60 * dayMs) }, 7 * dayMs],
  ] as const)('after its end, %j: seldom, and then no more', (changes, waitMs) => expect(lookIn(changes)).toBe(waitMs));

  test.each([
    [3 * dayMs, dayMs],
    [3 * dayMs + 1, 7 * dayMs],
    [90 * dayMs, 7 * dayMs],
    [90 * dayMs + 1, null],
  ])('one that was bought once %i ms ago: while it can be refunded', (ageMs, waitMs) =>
    expect(lookIn({ kind: 'one_time', purchasedAt: over(ageMs) })).toBe(waitMs),
  );

  test.each([
    ['no end is known: once a day', {}, dayMs],
    ['an end: half a minute later', { expiresAt: after(hourMs) }, hourMs + 30_000],
    ['the first of several ends', { expiresAt: after(3), graceEndsAt: after(2), resumesAt: after(1) }, 30_001],
    ['an end in more than a day: once a day', { expiresAt: after(dayMs) }, dayMs],
    ['it ends now: after a minute', { expiresAt: present }, minuteMs],
    ['it ended now, and is paused: once a day', { state: 'paused', expiresAt: present }, dayMs],
    ['it ended two minutes ago', { expiresAt: over(2 * minuteMs) }, minuteMs],
    ['it ended ten minutes ago', { expiresAt: over(10 * minuteMs) }, 5 * minuteMs],
    ['it ended two hours ago', { expiresAt: over(2 * hourMs) }, hourMs],
    ['it ended four hours ago', { expiresAt: over(4 * hourMs) }, hourMs],
    ['it ended, and grace ends soon', { expiresAt: over(4 * hourMs), graceEndsAt: after(minuteMs) }, 90_000],
  ] as const)('a subscription: %s', (_, changes, waitMs) => expect(lookIn(changes)).toBe(waitMs));

  test('always later, and within a day while it may still change', () => {
    fc.assert(
      fc.property(snapshot, fc.nat(), (purchase, spread) => {
        const next = nextLook(purchase, present, spread);
        const isLiving = purchase.kind === 'subscription' && !['expired', 'revoked'].includes(purchase.state);
        if (next === null) return expect(isLiving).toBe(false);
        const waitMs = next.getTime() - present.getTime();
        expect(waitMs).toBeGreaterThan(0);
        expect(waitMs).toBeLessThanOrEqual((isLiving ? dayMs : 7 * dayMs) + 60_000);
      }),
    );
  });

  test.each([
    ['just after the end of the period', { expiresAt: after(hourMs) }, hourMs + 30_000],
    [
      'just after the end of grace',
      { state: 'grace', expiresAt: after(-hourMs), graceEndsAt: after(hourMs) },
      hourMs + 30_000,
    ],
    ['once a day before that', { expiresAt: after(20 * dayMs) }, dayMs],
    ['soon, where a renewal is due', { expiresAt: after(-1_000) }, 60_000],
    ['seldom, some days after its end', { state: 'expired', expiresAt: after(-10 * dayMs) }, 7 * dayMs],
  ] as const)('%s', (_what, changes, waitMs) => {
    expect(nextLook({ ...base, ...changes }, present, 0)).toEqual(after(waitMs));
  });

  test('never again, two months after its end', () => {
    const over = { ...base, state: 'expired', expiresAt: after(-61 * dayMs) } as const;
    expect(nextLook(over, present, 0)).toBeNull();
  });
});
