import { periodEnd, type PeriodLength } from './periods';

/** Trials before the first charge. Without I/O and Node modules, because workflows import it. */

const dayMs = 86_400_000;

/** A trial ends like a period of the same length. */
export function trialEnd(start: Date, length: PeriodLength): Date {
  return periodEnd(start, 1, length);
}

/** The time of the reminder: three days before the end, or one day for a trial of up to three days. */
export function reminderAt(start: Date, end: Date): Date {
  const isShort = end.getTime() - start.getTime() <= 3 * dayMs;
  return new Date(Math.max(start.getTime(), end.getTime() - (isShort ? 1 : 3) * dayMs));
}

/** The trial of another plan is counted from the start of this trial. A plan without a trial ends it immediately. */
export function switchedTrialEnd(start: Date, length: PeriodLength | undefined): Date {
  return length === undefined ? start : trialEnd(start, length);
}
