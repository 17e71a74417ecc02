import { roundToStep, stepMinor } from './dues';
import { type AddedTax, dueOf } from './tax/addedTax';
import { type PeriodLength } from './periods';
import { share } from './shares';

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
  const creditMinor = creditOf(paid, atMs);
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
  /** The credit that the losses of the old plan have kept from the customer. */
  withheldMinor: number;
  /** The part of the losses by which the new time counts as unpaid. */
  unpaidMinor: number;
}

/** The running time of the old plan, and the part of its price that was lost. `paidMinor` is without this part. */
export interface LossyTime {
  paid: PaidTime;
  lostMinor: number;
  /** When the change takes effect. */
  atMs: number;
}

/**
 * Settles an agreed change. Money of the old plan may have gone back since the agreement, so the credit is at most the present
 * paid amount. The missing part first reduces the credit on the balance, and then the paid amount of the new time. A loss from
 * before the agreement has made the agreed credit smaller. If this loss is undone by now, the balance gets the difference to
 * the credit for the present paid amount. The loss that still stands keeps the rest.
 */
export function settleSwitch(
  { creditMinor, chargeMinor, balanceMinor }: Pick<SwitchQuote, 'creditMinor' | 'chargeMinor' | 'balanceMinor'>,
  { paid, lostMinor, atMs }: LossyTime,
): SettledSwitch {
  const missingMinor = Math.max(0, creditMinor - paid.paidMinor);
  const fromBalanceMinor = Math.min(missingMinor, Math.max(0, balanceMinor));
  const paidMinor = Math.max(0, chargeMinor - (missingMinor - fromBalanceMinor));
  const wholeMinor = creditOf({ ...paid, paidMinor: paid.paidMinor + lostMinor }, atMs);
  const restoredMinor = Math.max(0, creditOf(paid, atMs) - creditMinor);
  const lessMinor = Math.max(0, wholeMinor - creditMinor - restoredMinor) + fromBalanceMinor;
  const withheldMinor = Math.min(lostMinor, lessMinor);
  const unpaidMinor = Math.min(lostMinor - withheldMinor, chargeMinor - paidMinor);
  return { balanceMinor: balanceMinor - fromBalanceMinor + restoredMinor, paidMinor, withheldMinor, unpaidMinor };
}

/** The credit for the rest of a paid time, at most the paid amount. */
function creditOf({ paidMinor, currency, fromMs, endMs }: PaidTime, atMs: number): number {
  const leftMinor = share(paidMinor, Math.max(0, endMs - atMs), endMs - fromMs);
  return Math.min(paidMinor, roundUpToStep(leftMinor, currency));
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
