import { roundToStep, stepMinor } from './dues';
import { type AddedTax, dueOf } from './tax/addedTax';
import { type PeriodLength } from './periods';

/**
 * The price of a plan change. All amounts are in minor units, each rounded once, half up, and then to the provider's
 * step in the customer's favour. Without I/O and Node modules, because workflows import it.
 */

/** The start of the new plan, and the time when its difference is paid. */
export const switchModes = ['now', 'next_invoice', 'next_period', 'reset'] as const;
export type SwitchMode = (typeof switchModes)[number];

export interface Plan extends PeriodLength {
  /** The price of one period after the voucher. */
  priceMinor: number;
  /** The price without the voucher; absent if there is no voucher. */
  listMinor?: number;
  /** The price of the next charge, if the voucher discounts it differently. */
  nextMinor?: number;
  /** The tax that is added to the prices of the new plan; absent or null if they include tax. */
  addedTax?: AddedTax | null;
}

/** The amount that was paid or is owed for a span of time. */
export interface PaidTime {
  paidMinor: number;
  currency: string;
  fromMs: number;
  /** The end of the period, and of the paid time. */
  endMs: number;
  /** The start of the period. The new plan's share is measured by the length of the whole period. */
  periodStartMs: number;
}

export interface SwitchQuote {
  mode: SwitchMode;
  /** The credit for the rest of the old plan, at most the paid amount. */
  creditMinor: number;
  /** The price of the new plan for the rest of this period, or for its first whole period. */
  chargeMinor: number;
  /** The amount due now, before the customer's balance: the charge less the credit, at least 0. */
  totalMinor: number;
  /** The amount that is added to the customer's balance; negative if the next invoice collects it. */
  balanceMinor: number;
  /** Whether the new plan begins a new period now, with a new anchor. */
  isNewPeriod: boolean;
}

/** Upgrades begin now, downgrades with the next period. A plan with another interval always begins now. */
function switchMode(from: Plan, to: Plan, wanted?: SwitchMode): SwitchMode {
  if (!isSameInterval(from, to)) return wanted === 'reset' ? 'reset' : 'now';
  return wanted ?? (listOf(to) >= listOf(from) ? 'now' : 'next_period');
}

/** Plans are compared by their prices without a voucher. */
const listOf = ({ listMinor, priceMinor }: Plan) => listMinor ?? priceMinor;

/**
 * A new period is a new charge, which counts for a voucher. The rest of the current period does not count. The credit is a
 * share of what was paid, with the tax that it contains. The new plan has the tax of now.
 */
export function quoteSwitch(from: Plan, to: Plan, paid: PaidTime, atMs: number, wanted?: SwitchMode): SwitchQuote {
  const mode = switchMode(from, to, wanted);
  if (mode === 'next_period')
    return { mode, creditMinor: 0, chargeMinor: 0, totalMinor: 0, balanceMinor: 0, isNewPeriod: false };
  const leftMs = Math.max(0, paid.endMs - atMs);
  const leftMinor = share(paid.paidMinor, leftMs, paid.endMs - paid.fromMs);
  const creditMinor = Math.min(paid.paidMinor, roundUpToStep(leftMinor, paid.currency));
  const isNewPeriod = mode === 'reset' || !isSameInterval(from, to);
  const priceMinor = isNewPeriod
    ? (to.nextMinor ?? to.priceMinor)
    : roundToStep(share(to.priceMinor, leftMs, paid.endMs - paid.periodStartMs), paid.currency);
  const chargeMinor = dueOf(priceMinor, to.addedTax ?? null, paid.currency);
  const difference = chargeMinor - creditMinor;
  const isLater = mode === 'next_invoice' && !isNewPeriod;
  const totalMinor = isLater ? 0 : Math.max(0, difference);
  return { mode, creditMinor, chargeMinor, totalMinor, balanceMinor: totalMinor - difference, isNewPeriod };
}

/** What a plan change moves to the balance, and the paid amount of the new time. */
interface SettledSwitch {
  balanceMinor: number;
  paidMinor: number;
}

/**
 * Settles an agreed change. Money of the old plan may have gone back since the agreement, so the credit is at most the present
 * paid amount. The missing part first reduces the credit on the balance, and then the paid amount of the new time.
 */
export function settleSwitch(
  { creditMinor, chargeMinor, balanceMinor }: Pick<SwitchQuote, 'creditMinor' | 'chargeMinor' | 'balanceMinor'>,
  paidMinor: number,
): SettledSwitch {
  const missingMinor = Math.max(0, creditMinor - paidMinor);
  const fromBalanceMinor = Math.min(missingMinor, Math.max(0, balanceMinor));
  return {
    balanceMinor: balanceMinor - fromBalanceMinor,
    paidMinor: Math.max(0, chargeMinor - (missingMinor - fromBalanceMinor)),
  };
}

function roundUpToStep(amountMinor: number, currency: string): number {
  const step = stepMinor(currency);
  return Math.ceil(amountMinor / step) * step;
}

/** The monthly price of a plan, for comparisons and for the monthly revenue. */
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

/**
 * The share `part / whole` of an amount, rounded half up. Uses BigInt, because money times milliseconds exceeds 2^53.
 */
function share(amountMinor: number, part: number, whole: number): number {
  if (whole <= 0) return 0;
  const [numerator, denominator] = [BigInt(amountMinor) * BigInt(Math.round(part)), BigInt(Math.round(whole))];
  return Number((2n * numerator + denominator) / (2n * denominator));
}
