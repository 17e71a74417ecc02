import { leastChargeMinor } from './dues';

/** What a voucher takes off a price, cycle by cycle. No I/O and no Node module: workflows may use it. */

export const discountPeriods = ['once', 'repeating', 'forever'] as const;

/** As a purchase keeps it. Percents are whole numbers. */
export interface Discount {
  /** 1 to 100. */
  percent: number;
  /** Replaces `percent` from the second charge on; null where it does not. */
  rebillPercent: number | null;
  period: (typeof discountPeriods)[number];
  /** How many charges are discounted, of `repeating`. */
  duration: number | null;
}

/** The percent that is taken off a cycle's price, counted from 1; 0 where the voucher does not reach. */
export function percentOff(discount: Discount, cycle: number): number {
  if (cycle === 1) return discount.percent;
  if (discount.period === 'repeating' && cycle > (discount.duration ?? 1)) return 0;
  return discount.rebillPercent ?? (discount.period === 'once' ? 0 : discount.percent);
}

/** How many charges are discounted at all, as clients are told; 0 for every one. */
export function discountedCharges({ period, duration }: Pick<Discount, 'period' | 'duration'>): number {
  return period === 'forever' ? 0 : (duration ?? 1);
}

/** What is left of a price, in minor units: the percentage is rounded half to even on the minor unit (decisions 4). */
export function discounted(priceMinor: number, percent: number): number {
  const hundredths = BigInt(priceMinor) * BigInt(percent);
  const whole = hundredths / 100n;
  const rest = hundredths % 100n;
  const isUp = rest > 50n || (rest === 50n && whole % 2n === 1n);
  return priceMinor - Number(isUp ? whole + 1n : whole);
}

/**
 * What a charge takes of a price. A discounted price that is less than a card provider charges is free (subscriptions 7).
 * A price without a discount stays what it is.
 */
export function payable(priceMinor: number, percent: number, currency: string): number {
  const left = discounted(priceMinor, percent);
  return percent > 0 && left < leastChargeMinor(currency) ? 0 : left;
}

/** The first charge: with the setup fee, which no voucher discounts, unless so little is left that a provider refuses it. */
export function firstCharge(priceMinor: number, setupFeeMinor: number, percent: number, currency: string): number {
  const left = payable(priceMinor, percent, currency) + setupFeeMinor;
  return percent > 0 && left < leastChargeMinor(currency) ? 0 : left;
}
