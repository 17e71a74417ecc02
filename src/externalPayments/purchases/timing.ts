import { periodEnd, type PeriodLength } from '../../billing/periods';

/** When a purchase's access ends and when its store is asked next. These are pure rules of time. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Access lasts this much longer than a renewing period, so that a late renewal does not interrupt it. */
const settleMarginMs = hourMs;
/** The grace period of a store that does not report its end: Roku's is fixed. */
export const unnamedGraceMs = 3 * dayMs;

export interface PurchaseTiming {
  kind: 'subscription' | 'one_time';
  state: 'pending' | 'active' | 'grace' | 'on_hold' | 'paused' | 'expired' | 'revoked';
  autoRenew: boolean;
  purchasedAt: Date;
  expiresAt: Date | null;
  graceEndsAt: Date | null;
  resumesAt: Date | null;
  revokedAt: Date | null;
  /** The end of the access given so far; null if none was given. */
  accessEndsAt: Date | null;
}

/** True if the purchase gives access. */
export const isServed = (state: PurchaseTiming['state']) => state === 'active' || state === 'grace';

/** The end of a purchase's access; null if it gives none. `length` is the fee's, for a purchase that never expires. */
export function accessEnd(purchase: PurchaseTiming, length: PeriodLength, present: Date): Date | null {
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
      // Access that was given during grace is not revoked afterwards.
      return accessEndsAt && earliest(accessEndsAt, earliest(latest(graceEndsAt, expiresAt) ?? present, present));
    case 'revoked':
      return accessEndsAt && earliest(accessEndsAt, earliest(revokedAt ?? present, present));
  }
}

/** Each purchase is also checked once a day, in case a notification was missed. */
const dailyMs = dayMs;
/** The store may need a moment after the end of a period. */
const afterEndMs = 30_000;
const lateFirstMs = minuteMs;
const lateMaxMs = hourMs;
/** How long after its end a purchase may be recovered, and how long after its purchase it may be refunded. */
const afterlifeMs = 60 * dayMs;
const oneTimeMs = 90 * dayMs;
const seldomMs = 7 * dayMs;

/**
 * The time of the next check; null if the purchase is over and only a notification can change it. `spread` distributes
 * the checks of many purchases.
 */
export function nextLook(purchase: PurchaseTiming, present: Date, spread: number): Date | null {
  const waitMs = waitUntilLook(purchase, present);
  return waitMs === null ? null : new Date(present.getTime() + waitMs + (spread % 60) * 1000);
}

function waitUntilLook(purchase: PurchaseTiming, present: Date): number | null {
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
  // A due renewal has not appeared yet: check often at first, then less often.
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
