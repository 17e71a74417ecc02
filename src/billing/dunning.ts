/** The retries after a declined charge. Without I/O and Node modules, because workflows import it. */

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Soft: a later retry may succeed. Hard: no retry with this card will succeed. Later: the provider asks for a retry
 * soon.
 */
export type Decline = 'soft' | 'hard' | 'later';

/** The merchant's rules at the time of the failure. Days count from the failure. */
export interface DunningPlan {
  /** The time for which access continues. */
  graceDays: number;
  /** In ascending order. After the last day the subscription expires. */
  retryDays: readonly number[];
}

export const defaultPlan: DunningPlan = { graceDays: 7, retryDays: [1, 3, 7, 14, 21] };

/** A failed payment and its retries. Times are milliseconds since 1970, in merchant time. */
export interface Dunning extends DunningPlan {
  failedMs: number;
  /** The number of `retryDays` that have passed. */
  retries: number;
  /** Undefined if only a new card can succeed. */
  nextRetryMs?: number;
  /** The number of consecutive declines of the kind "later". */
  sooner: number;
}

/** The number of consecutive retries after an hour, before the next retry day applies. */
const soonerMax = 6;

/** The first failure of a period's payment. */
export function beginDunning(plan: DunningPlan, failedMs: number, decline: Decline): Dunning {
  const { graceDays, retryDays } = plan;
  return planRetry({ graceDays, retryDays, failedMs, retries: 0, sooner: 0 }, failedMs, decline);
}

/** A planned or requested retry has failed. The retry days until now have passed. */
export function afterRetry(dunning: Dunning, atMs: number, decline: Decline): Dunning {
  const due = dunning.retryDays.filter((days) => dunning.failedMs + days * dayMs <= atMs).length;
  return planRetry({ ...dunning, retries: Math.max(due, dunning.retries) }, atMs, decline);
}

/** A new card continues the planned retries. */
export function withNewCard(dunning: Dunning, atMs: number): Dunning {
  return afterRetry({ ...dunning, sooner: 0 }, atMs, 'soft');
}

export const graceEndsMs = ({ failedMs, graceDays }: Dunning) => failedMs + graceDays * dayMs;

/** The time when the subscription expires: on the last retry day, even if the card is not charged on it. */
export const exhaustedMs = ({ failedMs, retryDays }: Dunning) => failedMs + (retryDays.at(-1) ?? 0) * dayMs;

const isExhausted = (dunning: Dunning, atMs: number) => atMs >= exhaustedMs(dunning);

function planRetry(before: Dunning, atMs: number, decline: Decline): Dunning {
  const { graceDays, retryDays, failedMs, retries } = before;
  const dunning = { graceDays, retryDays, failedMs, retries, sooner: 0 };
  if (decline === 'hard') return dunning;
  const days = retryDays[retries];
  const plannedMs = days === undefined ? undefined : failedMs + days * dayMs;
  const soonMs = Math.min(atMs + hourMs, plannedMs ?? Infinity);
  if (decline === 'later' && before.sooner < soonerMax && !isExhausted(dunning, soonMs))
    return { ...dunning, sooner: before.sooner + 1, nextRetryMs: soonMs };
  return plannedMs === undefined ? dunning : { ...dunning, nextRetryMs: plannedMs };
}
