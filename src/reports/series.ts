import { merchantNow } from '../adapters/clock';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { readFigures, type FigureName, type FigureRow, type Interval } from './figures';

/** Ranges of days, their intervals, and the sums of figures in each. */

const dayMs = 86_400_000;
const usualDays = 30;
const mostYears = 20;
/** The day after the last day must have a year of four digits. */
export const latestDay = new Date('9998-12-31T00:00:00Z');

/** The merchant whose figures are read: a caller, or a schedule. */
export type ReportOwner = Pick<Caller, 'merchantId'>;

/** Days in UTC, `YYYY-MM-DD`. */
export interface Range {
  from: string;
  /** The last day of the range. */
  to: string;
  /** The day after the last day. */
  end: string;
}

export interface RangeInput {
  from?: Date | undefined;
  to?: Date | undefined;
}

/** The requested range; by default it ends today, in the merchant's time, and has a fixed number of days. */
export async function readRange(caller: ReportOwner, input: RangeInput, days = usualDays): Promise<Range> {
  const to = startOfDay(input.to ?? (await merchantNow(caller.merchantId)));
  const from = startOfDay(input.from ?? new Date(to.getTime() - (days - 1) * dayMs));
  if (to > latestDay) throw new AppError('invalid_input', { errors: { to: 'The to must be in 9998 or earlier.' } });
  if (from > to) throw new AppError('invalid_input', { errors: { to: 'The to must not be before the from.' } });
  if (to.getTime() - from.getTime() > mostYears * 366 * dayMs)
    throw new AppError('invalid_input', { errors: { from: `The from must be within ${mostYears} years of the to.` } });
  return { from: dayText(from), to: dayText(to), end: dayText(new Date(to.getTime() + dayMs)) };
}

export const startOfDay = (at: Date) => new Date(Math.floor(at.getTime() / dayMs) * dayMs);
/** `YYYY-MM-DD` in UTC. */
export const dayText = (at: Date) => at.toISOString().slice(0, 10);

export function daysIn({ from, end }: Range): number {
  return (Date.parse(end) - Date.parse(from)) / dayMs;
}

/** The first days of the intervals that the range touches. Weeks begin on Monday. */
export function periodsOf({ from, to }: Range, interval: Interval): string[] {
  const periods: string[] = [];
  for (let day = startOfInterval(from, interval); day <= to; day = nextOf(day, interval)) periods.push(day);
  return periods;
}

function startOfInterval(day: string, interval: Interval): string {
  if (interval === 'day') return day;
  if (interval === 'month') return `${day.slice(0, 7)}-01`;
  const at = new Date(day);
  return dayText(new Date(at.getTime() - ((at.getUTCDay() + 6) % 7) * dayMs));
}

function nextOf(day: string, interval: Interval): string {
  const at = new Date(day);
  if (interval === 'month') return dayText(new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1)));
  return dayText(new Date(at.getTime() + (interval === 'week' ? 7 : 1) * dayMs));
}

export interface Cell {
  count: number;
  amountMinor: number;
}

/** One currency of a series: the sums of the figures in each interval, and before the range. */
export interface Line {
  currency: string;
  /** The sum before the range, for figures that were read with `isRunning`. */
  opening: (name: string) => Cell;
  periods: { period: string; of: (name: string) => Cell }[];
}

/** Figures along one dimension. `isRunning`: the sums before the range are added (MRR, numbers of subscriptions). */
export interface FigureSelection {
  figures: readonly FigureName[];
  dimension: string;
  isRunning?: true;
}

/**
 * `interval: 'none'` makes the whole range one interval. A cell's name is its figure, followed by a colon and its key
 * if it has one.
 */
export async function readLines(
  caller: ReportOwner,
  { range, interval, currency }: { range: Range; interval: Interval | 'none'; currency?: string | undefined },
  selections: readonly FigureSelection[],
): Promise<Line[]> {
  const base = { merchantId: caller.merchantId, currency };
  const reads = selections.map(({ figures, dimension, isRunning }) =>
    Promise.all([
      readFigures({ ...base, figures, dimension, interval, from: range.from, to: range.end }),
      isRunning ? readFigures({ ...base, figures, dimension, interval: 'none', to: range.from }) : [],
    ]),
  );
  const found = await Promise.all(reads);
  const inside = cellsOf(found.flatMap(([rows]) => rows));
  const before = cellsOf(found.flatMap(([, rows]) => rows));
  const seen = found.flatMap(([rows, earlier]) => [...rows, ...earlier].map((row) => row.currency));
  const periods = interval === 'none' ? [''] : periodsOf(range, interval);
  return [...new Set(seen)].sort().map((code) => ({
    currency: code,
    opening: (name) => before.get(`|${code}|${name}`) ?? none,
    periods: periods.map((period) => ({ period, of: (name) => inside.get(`${period}|${code}|${name}`) ?? none })),
  }));
}

const none: Cell = { count: 0, amountMinor: 0 };

function cellsOf(rows: FigureRow[]): Map<string, Cell> {
  return new Map(
    rows.map(({ period, currency, figure, key, ...cell }) => [
      `${period}|${currency}|${key === '' ? figure : `${figure}:${key}`}`,
      cell,
    ]),
  );
}

/** A part of a whole, to four decimals; null if the whole is 0. */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}
