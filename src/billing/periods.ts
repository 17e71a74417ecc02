/**
 * The calendar of billing, in UTC, where every day has 24 hours. Without I/O and Node modules, because workflows import
 * it.
 */

export const periodUnits = ['hour', 'day', 'week', 'month', 'year'] as const;
export type PeriodUnit = (typeof periodUnits)[number];

/** An access type's length: `quantity` (1 or more) times `period`. */
export interface PeriodLength {
  quantity: number;
  period: PeriodUnit;
}

/** The last time that a 32-bit client can read. Access for life is stored with this end. */
export const endOfTime = new Date(0x7fffffff * 1000);

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * The end of period n, which is anchor + n periods. It is always computed from the anchor. Addition to the previous
 * period would lose the anchor's day in February (31 Jan, 28 Feb, 31 Mar).
 */
export function periodEnd(anchor: Date, n: number, length: PeriodLength): Date {
  const count = n * length.quantity;
  switch (length.period) {
    case 'hour':
      return new Date(anchor.getTime() + count * hourMs);
    case 'day':
      return new Date(anchor.getTime() + count * dayMs);
    case 'week':
      return new Date(anchor.getTime() + count * 7 * dayMs);
    case 'month':
      return addMonths(anchor, count);
    case 'year':
      return addMonths(anchor, count * 12);
  }
}

/** The length in days; a month counts as 31. */
export function daysOf(length: PeriodLength): number {
  return periodEnd(new Date(0), 1, length).getTime() / dayMs;
}

/** The same day and time of day, or the last day of a shorter month. */
function addMonths(date: Date, months: number): Date {
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const result = new Date(date);
  result.setUTCFullYear(year, month, Math.min(date.getUTCDate(), lastDay));
  return result;
}
