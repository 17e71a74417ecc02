import { periodEnd, type PeriodLength } from './periods';

/** Free time before the first charge (subscriptions 6). No I/O and no Node module: workflows may use it. */

const dayMs = 86_400_000;

/** The trial ends where a period of its length would. */
export function trialEnd(start: Date, length: PeriodLength): Date {
  return periodEnd(start, 1, length);
}

/** When the customer is reminded: three days before the end, one day before that of a trial of up to three days. */
export function reminderAt(start: Date, end: Date): Date {
  const isShort = end.getTime() - start.getTime() <= 3 * dayMs;
  return new Date(Math.max(start.getTime(), end.getTime() - (isShort ? 1 : 3) * dayMs));
}

/** Another plan's trial counts from the start of this one: time that was used is used. None ends at once. */
export function switchedTrialEnd(start: Date, length: PeriodLength | undefined): Date {
  return length === undefined ? start : trialEnd(start, length);
}
