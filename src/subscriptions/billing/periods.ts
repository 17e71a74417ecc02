/** The calendar of billing, all in UTC, where no day has 23 hours. No I/O and no Node module: workflows may use it. */

export const periodUnits = ['hour', 'day', 'week', 'month', 'year'] as const;
export type PeriodUnit = (typeof periodUnits)[number];

/** An access type's length: `quantity` (1 or more) times `period`. */
export interface PeriodLength {
  quantity: number;
  period: PeriodUnit;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * The end of period n, which is anchor + n periods (decisions 6): always counted from the anchor, because adding to the
 * period before would lose the anchor's day in February (31 Jan, 28 Feb, 31 Mar).
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

/** The same day and time of day, or the month's last day where the month is shorter. */
function addMonths(date: Date, months: number): Date {
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const result = new Date(date);
  result.setUTCFullYear(year, month, Math.min(date.getUTCDate(), lastDay));
  return result;
}
