import { toMajor } from '../billing/money';
import { shareOf, type Cell, type Line } from './series';

/** Figures that are computed from sums: shares, averages and lifetimes. */

export const daysInMonth = 365.25 / 12;

export function add(a: Cell, b: Cell): Cell {
  return { count: a.count + b.count, amountMinor: a.amountMinor + b.amountMinor };
}

export function churnOf(of: Line['opening']): Cell {
  return add(of('movements:churn_voluntary'), of('movements:churn_payment'));
}

export function conversionOf(of: Line['opening']): number | null {
  const converted = of('trial_converted').count;
  return shareOf(converted, converted + of('trial_lost').count);
}

export function recoveryOf(of: Line['opening']): number | null {
  const { count: recovered } = of('dunning_recovered');
  return shareOf(recovered, recovered + of('dunning_lost').count);
}

/** Rounded to the currency's minor unit. */
export function perHead(minor: number, heads: number, currency: string): number | null {
  return heads === 0 ? null : toMajor(Math.round(minor / heads), currency);
}

/** The lifetime value: the monthly revenue of a subscriber, times the expected months at this churn rate. */
export function lifetimeOf(minor: number, heads: number, churnRate: number | null, days: number, currency: string) {
  if (heads === 0 || churnRate === null || churnRate === 0) return null;
  const monthlyRate = churnRate >= 1 ? 1 : 1 - (1 - churnRate) ** (daysInMonth / days);
  return toMajor(Math.round(minor / heads / monthlyRate), currency);
}
