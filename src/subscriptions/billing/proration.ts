import { isChargeable } from './dues';
import { type PeriodLength } from './periods';

/**
 * What a change of plans costs (subscriptions 4). Minor units throughout, each line rounded once, half up. No I/O and no
 * Node module: workflows may use it.
 */

/** When the new plan begins, and when its difference is paid. */
export const switchModes = ['now', 'next_invoice', 'next_period', 'reset'] as const;
export type SwitchMode = (typeof switchModes)[number];

export interface Plan extends PeriodLength {
  /** Of one period, after any voucher. */
  priceMinor: number;
  /** The same without a voucher; absent: there is none. */
  listMinor?: number;
  /** The same of the charge after this one, which a voucher may discount otherwise; absent: it does not. */
  nextMinor?: number;
}

/** What was paid, for which time. */
export interface PaidTime {
  paidMinor: number;
  fromMs: number;
  /** The end of the period, of the money and of the time alike. */
  endMs: number;
  /** Where the period itself began: its length is the measure of the new plan's share. */
  periodStartMs: number;
  currency: string;
}

export interface SwitchQuote {
  mode: SwitchMode;
  /** For the rest of the old plan. Never above what was paid for it. */
  creditMinor: number;
  /** For the new plan's part of this period, or its first whole period. */
  chargeMinor: number;
  /** What is charged now: the charge less the credit and not below zero; nothing where a provider refuses so little. */
  totalMinor: number;
  /** What the credit leaves for the customer's balance; below zero what the next invoice adds. */
  balanceMinor: number;
  /** The new plan's first period begins now, with an anchor of its own. */
  isNewPeriod: boolean;
}

/** Upgrades begin now, downgrades with the next period, and another interval cannot wait, whatever is wanted. */
function switchMode(from: Plan, to: Plan, wanted?: SwitchMode): SwitchMode {
  if (!isSameInterval(from, to)) return wanted === 'reset' ? 'reset' : 'now';
  return wanted ?? (listOf(to) >= listOf(from) ? 'now' : 'next_period');
}

/** A plan is dearer by its own price, whatever a voucher takes off it at the moment. */
const listOf = ({ listMinor, priceMinor }: Plan) => listMinor ?? priceMinor;

/** A new period is a charge of its own, the next one that a voucher counts; the rest of this one is no new charge. */
export function quoteSwitch(from: Plan, to: Plan, paid: PaidTime, atMs: number, wanted?: SwitchMode): SwitchQuote {
  const mode = switchMode(from, to, wanted);
  if (mode === 'next_period')
    return { mode, creditMinor: 0, chargeMinor: 0, totalMinor: 0, balanceMinor: 0, isNewPeriod: false };
  const leftMs = Math.max(0, paid.endMs - atMs);
  const creditMinor = Math.min(paid.paidMinor, share(paid.paidMinor, leftMs, paid.endMs - paid.fromMs));
  const isNewPeriod = mode === 'reset' || !isSameInterval(from, to);
  const chargeMinor = isNewPeriod
    ? (to.nextMinor ?? to.priceMinor)
    : share(to.priceMinor, leftMs, paid.endMs - paid.periodStartMs);
  const difference = chargeMinor - creditMinor;
  const isLater = mode === 'next_invoice' && !isNewPeriod;
  const isCarried = isLater || !isChargeable(Math.max(0, difference), paid.currency);
  const totalMinor = isCarried ? 0 : Math.max(0, difference);
  return { mode, creditMinor, chargeMinor, totalMinor, balanceMinor: totalMinor - difference, isNewPeriod };
}

/** What a price is in a month: for comparing plans, and for what a change brings in. */
export function monthlyMinor({ priceMinor, quantity, period }: Plan): number {
  const perYear = { hour: 8766, day: 365.25, week: 365.25 / 7, month: 12, year: 1 }[period];
  return Math.round((priceMinor * perYear) / (12 * quantity));
}

function isSameInterval(from: PeriodLength, to: PeriodLength): boolean {
  const inMonths = ({ quantity, period }: PeriodLength) =>
    (period === 'year' ? 12 : period === 'month' ? 1 : 0) * quantity;
  const inHours = ({ quantity, period }: PeriodLength) =>
    (period === 'week' ? 168 : period === 'day' ? 24 : period === 'hour' ? 1 : 0) * quantity;
  return inMonths(from) === inMonths(to) && inHours(from) === inHours(to);
}

/** `part` of `whole` of an amount, in whole units, half up: in integers, since money times milliseconds passes 2^53. */
function share(amountMinor: number, part: number, whole: number): number {
  if (whole <= 0) return 0;
  const [numerator, denominator] = [BigInt(amountMinor) * BigInt(Math.round(part)), BigInt(Math.round(whole))];
  return Number((2n * numerator + denominator) / (2n * denominator));
}
