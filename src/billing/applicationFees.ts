import { roundToStep, stepMinor } from './dues';
import { toMinor } from './money';

/** The operator's fee for a payment on a merchant's connected account. */
export interface FeeTerms {
  percent: number;
  /** In the major unit, by currency. */
  fixed: ReadonlyMap<string, number>;
}

/**
 * The percentage and the fixed part are added and rounded once: half up, to an amount that the provider can charge. The
 * fee is at most the payment.
 */
export function applicationFee({ percent, fixed }: FeeTerms, amountMinor: number, currency: string): number {
  const hundredths = BigInt(Math.round(percent * 100));
  const step = BigInt(stepMinor(currency));
  const fixedMinor = BigInt(toMinor(fixed.get(currency) ?? 0, currency));
  const exact = BigInt(amountMinor) * hundredths + fixedMinor * 10_000n;
  const unit = 10_000n * step;
  const fee = Number(((exact * 2n + unit) / (unit * 2n)) * step);
  return Math.min(fee, roundToStep(amountMinor, currency));
}
