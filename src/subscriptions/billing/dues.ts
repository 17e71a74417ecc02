import { currencyExponent } from './money';

/**
 * What of a due amount is charged now. A card provider refuses amounts below its least one, so a due that is smaller is
 * not sent: it is carried in the customer's balance, which the next invoice settles. No I/O and no Node module.
 */

/** Where a provider's least charge is not half a major unit, in minor units (docs.stripe.com/currencies). */
const leastMinor: Readonly<Record<string, number>> = {
  AED: 200,
  CZK: 1500,
  DKK: 250,
  GBP: 30,
  HKD: 400,
  HUF: 17_500,
  MXN: 1000,
  MYR: 200,
  NOK: 300,
  PLN: 200,
  RON: 200,
  SEK: 300,
  THB: 1000,
};

/** The least that a provider charges: mostly half a major unit, or 50 where the currency has no decimals. */
export function leastChargeMinor(currency: string): number {
  const exponent = currencyExponent(currency);
  return leastMinor[currency] ?? (exponent === 0 ? 50 : 10 ** exponent / 2);
}

/** Whether a provider would take it; nothing need not be sent. */
export const isChargeable = (amountMinor: number, currency: string) =>
  amountMinor === 0 || amountMinor >= leastChargeMinor(currency);

export interface SettledDue {
  /** What is charged now: nothing, or at least what a provider takes. */
  chargeMinor: number;
  /** What the balance changes by, downwards: its part of the due, and what it carries; below zero where a debt is charged. */
  takenMinor: number;
  /** The part of the due that is not paid yet. */
  carriedMinor: number;
}

/** A due amount, 0 or more, and what the customer has in credit; below zero it owes, which is charged with it. */
export function settleDue(dueMinor: number, balanceMinor: number, currency: string): SettledDue {
  const takenMinor = Math.min(balanceMinor, dueMinor);
  const chargeMinor = dueMinor - takenMinor;
  if (isChargeable(chargeMinor, currency)) return { chargeMinor, takenMinor, carriedMinor: 0 };
  return { chargeMinor: 0, takenMinor: dueMinor, carriedMinor: dueMinor - Math.max(0, takenMinor) };
}
