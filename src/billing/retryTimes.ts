import { exhaustedMs, graceEndsMs, type Dunning } from './dunning';

/**
 * The best hour for a planned retry, by the reason of the decline. A retry is never earlier than its planned day, and
 * never later than the next planned day, the end of the grace period or the last retry day. docs/payments.md explains
 * the table.
 */

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The longest delay of a retry. */
const delayMaxMs = 2 * dayMs;

interface RetryTimes {
  /** The hours in which charges succeed most often, in the time zone of the payer. */
  hours: readonly number[];
  /** 0 is Sunday. */
  weekdays: readonly number[];
  /** The days of the month on which salaries arrive. -1 is the last day. */
  paydays: readonly number[];
}

/**
 * Insufficient funds: shortly after salaries arrive, early in the morning before the money is spent. No reason: in the
 * middle of the week during business hours, because such declines come from the bank's own rules and limits.
 * Authentication required: in the evening, when the payer can react.
 */
export const retryTimes: Readonly<Record<string, RetryTimes>> = {
  insufficient_funds: { hours: [5, 6, 7], weekdays: [5, 6], paydays: [1, 2, 15, 16, 25, 26, -1] },
  declined: { hours: [9, 10, 11], weekdays: [2, 3, 4], paydays: [] },
  authentication_failed: { hours: [18, 19, 20], weekdays: [1, 2, 3, 4], paydays: [] },
};

/**
 * Moves the planned retry to its best hour. A retry an hour after the decline does not move, and neither does one with
 * an unknown reason.
 */
export function atBestHour(
  dunning: Dunning,
  { reason, offsetMinutes = 0 }: { reason: string; offsetMinutes?: number },
): Dunning {
  const { nextRetryMs: plannedMs, sooner } = dunning;
  const times = retryTimes[reason];
  if (plannedMs === undefined || sooner > 0 || !times) return dunning;
  const limitMs = latestMs(dunning, plannedMs);
  let best = { atMs: plannedMs, score: scoreOf(times, plannedMs, offsetMinutes) };
  for (let atMs = nextHour(plannedMs); atMs < limitMs; atMs += hourMs) {
    const score = scoreOf(times, atMs, offsetMinutes);
    if (score > best.score) best = { atMs, score };
  }
  return { ...dunning, nextRetryMs: best.atMs };
}

const nextHour = (atMs: number) => Math.floor(atMs / hourMs) * hourMs + hourMs;

/** A retry that is planned within the grace period stays within it, because the customer still has access then. */
function latestMs(dunning: Dunning, plannedMs: number): number {
  const { failedMs, retryDays } = dunning;
  const nextMs = retryDays.map((days) => failedMs + days * dayMs).find((atMs) => atMs > plannedMs) ?? plannedMs;
  const graceMs = graceEndsMs(dunning);
  const limits = [nextMs, exhaustedMs(dunning), plannedMs + delayMaxMs, ...(plannedMs <= graceMs ? [graceMs] : [])];
  return Math.min(...limits);
}

function scoreOf({ hours, weekdays, paydays }: RetryTimes, atMs: number, offsetMinutes: number): number {
  const local = new Date(atMs + offsetMinutes * 60_000);
  const isLastDay = new Date(local.getTime() + dayMs).getUTCDate() === 1;
  const isPayday = paydays.includes(local.getUTCDate()) || (isLastDay && paydays.includes(-1));
  const isGoodHour = hours.includes(local.getUTCHours());
  return (isPayday ? 4 : 0) + (isGoodHour ? 2 : 0) + (weekdays.includes(local.getUTCDay()) ? 1 : 0);
}
