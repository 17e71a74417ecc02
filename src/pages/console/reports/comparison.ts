import { type ReportQuery } from './range';

/** The previous period of a report, and its values beside those of the report. */

const dayMs = 86_400_000;
const dayText = (ms: number) => new Date(ms).toISOString().slice(0, 10);
/** Reports have no earlier years. */
const firstDay = '1900-01-01';

interface Days {
  from: string;
  to: string;
}

/**
 * The range of the same length before it. Before whole months it is the same number of months, so that November is
 * compared with October. Undefined before the first year of reports.
 */
export function previousRange({ from, to }: Days): Days | undefined {
  const end = Date.parse(to) + dayMs;
  const isMonths = from.endsWith('-01') && dayText(end).endsWith('-01');
  const days = previousDays({ from, to });
  const range = isMonths ? { ...days, from: dayText(monthsBefore(from, end)) } : days;
  return range.from < firstDay ? undefined : range;
}

/** The same number of days before it. */
export function previousDays({ from, to }: Days): { from: string; to: string } {
  const start = Date.parse(from);
  return { from: dayText(start - (Date.parse(to) - start) - dayMs), to: dayText(start - dayMs) };
}

function monthsBefore(from: string, endMs: number): number {
  const start = new Date(from);
  const end = new Date(endMs);
  const months = 12 * (end.getUTCFullYear() - start.getUTCFullYear()) + end.getUTCMonth() - start.getUTCMonth();
  return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() - months, 1);
}

export function previousQuery(asked: ReportQuery): ReportQuery | undefined {
  const range = previousRange(asked);
  return range && { ...asked, ...range };
}
