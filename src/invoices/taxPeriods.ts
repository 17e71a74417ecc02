import { type TaxPeriod } from './taxSums.model';

/** A year, or one of its quarters. */
export interface AskedPeriod {
  year: number;
  quarter?: number | undefined;
}

export function periodOf({ year, quarter }: AskedPeriod): TaxPeriod {
  if (quarter === undefined) return { from: `${year}-01-01`, end: `${year + 1}-01-01` };
  const firstOf = (month: number) => new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10);
  return { from: firstOf(3 * quarter - 3), end: firstOf(3 * quarter) };
}

/** Days are `YYYY-MM-DD`. */
export const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
