import { leastChargeMinor, roundToStep } from './dues';

/** The discount of a voucher in each cycle. Without I/O and Node modules, because workflows import it. */

export const discountPeriods = ['once', 'repeating', 'forever'] as const;

/** The discount that is stored with a purchase. Percentages are whole numbers. */
export interface Discount {
  /** 1 to 100; 0 if `fixed` is set. */
  percent: number;
  /** Replaces `percent` from the second charge on, unless it is null. */
  rebillPercent: number | null;
  /** A fixed amount instead of a percentage. */
  fixed?: FixedDiscount | undefined;
  period: (typeof discountPeriods)[number];
  /** The number of discounted charges, if `period` is `repeating`. */
  duration: number | null;
}

/** Amounts in minor units of the price's currency. */
export interface FixedDiscount {
  minor: number;
  /** Replaces `minor` from the second charge on, unless it is null. */
  rebillMinor: number | null;
}

/** The discount on one price: a percentage, where 0 is no discount, or a fixed amount. */
export type Reduction = number | { minor: number };

/** The discount on the price of a cycle, counted from 1; 0 if the voucher does not apply to the cycle. */
export function reductionOf({ fixed, ...discount }: Discount, cycle: number): Reduction {
  const first = fixed ? fixed.minor : discount.percent;
  const later = (fixed ? fixed.rebillMinor : discount.rebillPercent) ?? (discount.period === 'once' ? 0 : first);
  const isOver = discount.period === 'repeating' && cycle > (discount.duration ?? 1);
  const amount = cycle === 1 ? first : isOver ? 0 : later;
  return fixed && amount > 0 ? { minor: amount } : amount;
}

/** The number of discounted charges as clients see it: 0 means every charge. */
export function discountedCharges({ period, duration }: Pick<Discount, 'period' | 'duration'>): number {
  return period === 'forever' ? 0 : (duration ?? 1);
}

/** The price less a percentage, which is rounded half to even on the minor unit. */
export function discounted(priceMinor: number, percent: number): number {
  const hundredths = BigInt(priceMinor) * BigInt(percent);
  const whole = hundredths / 100n;
  const rest = hundredths % 100n;
  const isUp = rest > 50n || (rest === 50n && whole % 2n === 1n);
  return priceMinor - Number(isUp ? whole + 1n : whole);
}

/** The price less its discount, at least 0, before it is rounded to an amount that a provider can charge. */
const leftOf = (priceMinor: number, reduction: Reduction) =>
  typeof reduction === 'number' ? discounted(priceMinor, reduction) : Math.max(0, priceMinor - reduction.minor);

/**
 * The amount to charge for a price. A discounted price below the provider's minimum is free. A price without a discount
 * is charged in full.
 */
export function payable(priceMinor: number, reduction: Reduction, currency: string): number {
  if (reduction === 0) return priceMinor;
  const left = roundToStep(leftOf(priceMinor, reduction), currency);
  return left < leastChargeMinor(currency) ? 0 : left;
}

/** The first charge: the discounted price and the full setup fee, or 0 if the sum is below the provider's minimum. */
export function firstCharge(priceMinor: number, setupFeeMinor: number, reduction: Reduction, currency: string): number {
  const left = payable(priceMinor, reduction, currency) + setupFeeMinor;
  return reduction !== 0 && left < leastChargeMinor(currency) ? 0 : left;
}
