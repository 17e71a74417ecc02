import { periodEnd, type PeriodLength } from '../../../subscriptions/billing/periods';

/** When a purchase's access ends and when its store is asked next: rules of time alone, nothing is read here. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Access outlasts a renewing period by this much, so that a slow renewal never flickers (subscriptions 3). */
const settleMarginMs = hourMs;
/** Of a store that does not say when grace ends: Roku's is fixed (subscriptions 12). */
export const unnamedGraceMs = 3 * dayMs;

export interface Standing {
  kind: 'subscription' | 'one_time';
  state: 'pending' | 'active' | 'grace' | 'on_hold' | 'paused' | 'expired' | 'revoked';
  autoRenew: boolean;
  purchasedAt: Date;
  expiresAt: Date | null;
  graceEndsAt: Date | null;
  resumesAt: Date | null;
  revokedAt: Date | null;
  /** Until when it gave access so far; null: it gave none. */
  accessEndsAt: Date | null;
}

/** Its owner has what was paid for. */
export const isServed = (state: Standing['state']) => state === 'active' || state === 'grace';

/** Until when a purchase gives access, or gave; null: it gives none. `length` is the fee's, for what never expires. */
export function accessEnd(purchase: Standing, length: PeriodLength, present: Date): Date | null {
  const { state, expiresAt, graceEndsAt, accessEndsAt, revokedAt, autoRenew } = purchase;
  switch (state) {
    case 'pending':
      return null;
    case 'active':
      if (expiresAt === null) return periodEnd(purchase.purchasedAt, 1, length);
      return autoRenew ? new Date(expiresAt.getTime() + settleMarginMs) : expiresAt;
    case 'grace':
      return latest(graceEndsAt, expiresAt) ?? present;
    case 'on_hold':
    case 'paused':
    case 'expired':
      // What grace gave was given; it is not taken back afterwards.
      return accessEndsAt && earliest(accessEndsAt, earliest(latest(graceEndsAt, expiresAt) ?? present, present));
    case 'revoked':
      return accessEndsAt && earliest(accessEndsAt, earliest(revokedAt ?? present, present));
  }
}

/** Looked at once a day besides, for what no notification told. */
const dailyMs = dayMs;
/** The store's own clockwork may need a moment after each end. */
const afterEndMs = 30_000;
const lateFirstMs = minuteMs;
const lateMaxMs = hourMs;
/** How long after its end a purchase may come back, and after its purchase one may be given back. */
const afterlifeMs = 60 * dayMs;
const oneTimeMs = 90 * dayMs;
const seldomMs = 7 * dayMs;

/** When to ask the store next; null: it is over, and only a notification can tell of more. `spread` keeps many apart. */
export function nextLook(purchase: Standing, present: Date, spread: number): Date | null {
  const waitMs = waitUntilLook(purchase, present);
  return waitMs === null ? null : new Date(present.getTime() + waitMs + (spread % 60) * 1000);
}

function waitUntilLook(purchase: Standing, present: Date): number | null {
  const { kind, state, expiresAt, graceEndsAt, resumesAt, revokedAt, purchasedAt } = purchase;
  const age = (from: Date) => present.getTime() - from.getTime();
  if (state === 'pending') return 10 * minuteMs;
  if (state === 'expired' || state === 'revoked') {
    const over = age(latest(latest(expiresAt, revokedAt), graceEndsAt) ?? purchasedAt);
    return over > afterlifeMs ? null : over > 3 * dayMs ? seldomMs : dailyMs;
  }
  if (kind === 'one_time') {
    const owned = age(purchasedAt);
    return owned > oneTimeMs ? null : owned > 3 * dayMs ? seldomMs : dailyMs;
  }
  const ends = [expiresAt, graceEndsAt, resumesAt].filter((end) => end !== null);
  const next = ends.map((end) => end.getTime() - present.getTime()).filter((leftMs) => leftMs > 0);
  const waits = next.map((leftMs) => leftMs + afterEndMs);
  // A renewal that is due has not shown yet: often at first, then less.
  if (state === 'active' && expiresAt !== null && expiresAt <= present)
    waits.push(Math.min(lateMaxMs, Math.max(lateFirstMs, age(expiresAt) / 2)));
  return Math.min(dailyMs, ...waits);
}

function latest(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}

function earliest(a: Date, b: Date): Date {
  return a < b ? a : b;
}
