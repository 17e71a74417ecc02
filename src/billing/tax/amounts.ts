/**
 * Amounts with tax, in minor units. Each amount is rounded once, half up, and the other is the difference, so that net +
 * tax = gross always. Without I/O and Node modules.
 */

export interface TaxedAmount {
  netMinor: number;
  taxMinor: number;
  grossMinor: number;
}

const whole = 100_000n;

/** A price that includes tax: the tax is rounded, and the rest is net. */
export function taxWithin(grossMinor: number, milliPercent: number): TaxedAmount {
  const rate = BigInt(milliPercent);
  const taxMinor = rounded(BigInt(grossMinor) * rate, whole + rate);
  return { netMinor: grossMinor - taxMinor, taxMinor, grossMinor };
}

/** A price without tax: the tax is rounded and added. */
export function taxOnTop(netMinor: number, milliPercent: number): TaxedAmount {
  const taxMinor = rounded(BigInt(netMinor) * BigInt(milliPercent), whole);
  return { netMinor, taxMinor, grossMinor: netMinor + taxMinor };
}

/**
 * The tax of a refund: the share of all refunds including it, less the tax that the earlier ones returned. All refunds
 * of a whole charge together return exactly its tax.
 */
export function taxOfRefund(
  charged: Pick<TaxedAmount, 'taxMinor' | 'grossMinor'>,
  earlierMinor: number,
  refundMinor: number,
): TaxedAmount {
  const upTo = (minor: number) =>
    charged.grossMinor === 0 ? 0 : rounded(BigInt(charged.taxMinor) * BigInt(minor), BigInt(charged.grossMinor));
  const taxMinor = upTo(earlierMinor + refundMinor) - upTo(earlierMinor);
  return { netMinor: refundMinor - taxMinor, taxMinor, grossMinor: refundMinor };
}

/** Half up. BigInt, because an amount times a rate can exceed 2^53. */
const rounded = (numerator: bigint, denominator: bigint) => Number((2n * numerator + denominator) / (2n * denominator));
