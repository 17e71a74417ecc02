import { currencyExponent } from './money';

/**
 * The part of a due amount that is charged now. A provider refuses amounts below its minimum and between its steps, so
 * the rest is carried over in the customer's balance to the next invoice. Without I/O and Node modules, because
 * workflows import it.
 */

/** The minimum charges that are not half a major unit, in minor units (docs.stripe.com/currencies). */
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

/** The minimum charge: usually half a major unit, or 50 in a currency without decimals. */
export function leastChargeMinor(currency: string): number {
  const exponent = currencyExponent(currency);
  return leastMinor[currency] ?? (exponent === 0 ? 50 : 10 ** exponent / 2);
}

/**
 * The step of amounts. With three decimals, the last digit must be 0. A currency whose minor unit is not in use is
 * charged in whole units.
 */
const steps: Readonly<Record<string, number>> = { BHD: 10, JOD: 10, KWD: 10, OMR: 10, TND: 10, MGA: 100 };

/** Every charge and refund must be a multiple of this. */
export const stepMinor = (currency: string): number => steps[currency] ?? 1;

/** Rounds an amount down to one that a provider can charge, so that the customer never pays more. */
export function roundToStep(amountMinor: number, currency: string): number {
  return amountMinor - (amountMinor % stepMinor(currency));
}

/** Whether the amount can be charged. 0 is never sent to the provider. */
export const isChargeable = (amountMinor: number, currency: string) =>
  amountMinor === 0 || amountMinor >= leastChargeMinor(currency);

export interface SettledDue {
  /** The amount to charge now: 0, or at least the provider's minimum. */
  chargeMinor: number;
  /** The part that is taken from the balance. Negative: the debt that is collected with the charge. */
  takenMinor: number;
}

/** Divides a due amount of at least 0 between a charge and the balance, which is negative if the customer owes. */
export function settleDue(dueMinor: number, balanceMinor: number, currency: string): SettledDue {
  const chargeMinor = roundToStep(dueMinor - Math.min(balanceMinor, dueMinor), currency);
  if (isChargeable(chargeMinor, currency)) return { chargeMinor, takenMinor: dueMinor - chargeMinor };
  return { chargeMinor: 0, takenMinor: dueMinor };
}

/** The amount of a charge, the part that was refunded, and the part that was turned into credit. */
export interface ChargeMoney {
  amountMinor: number;
  refundedMinor: number;
  creditedMinor: number;
}

/** The part of a charge's credit that is not used yet. A refund takes this part back first. */
export const creditLeft = ({ creditedMinor }: Pick<ChargeMoney, 'creditedMinor'>, balanceMinor: number) =>
  Math.min(creditedMinor, Math.max(0, balanceMinor));

interface TakenBack extends Pick<ChargeMoney, 'refundedMinor' | 'creditedMinor'> {
  /** The unused credit that the refund takes back. */
  creditMinor: number;
  /** The used credit that the refund has paid out as well, because the provider had paid before it was asked for. */
  excessMinor: number;
}

/** A charge after a refund, which may exceed the refundable part. */
export function takeBack(charge: ChargeMoney, amountMinor: number, balanceMinor: number): TakenBack {
  const creditMinor = Math.min(amountMinor, creditLeft(charge, balanceMinor));
  const refundedMinor = charge.refundedMinor + amountMinor;
  const usedMinor = charge.creditedMinor - creditMinor;
  const creditedMinor = Math.min(usedMinor, charge.amountMinor - refundedMinor);
  return { creditMinor, refundedMinor, creditedMinor, excessMinor: usedMinor - creditedMinor };
}

/** The refundable part of a charge: the amount less its refunds and less its used credit. */
export function refundableMinor(charge: ChargeMoney, balanceMinor: number): number {
  const { amountMinor, refundedMinor, creditedMinor } = charge;
  return amountMinor - refundedMinor - (creditedMinor - creditLeft(charge, balanceMinor));
}
