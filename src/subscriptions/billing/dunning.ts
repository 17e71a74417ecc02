/** What follows a charge that was declined (subscriptions 5). No I/O and no Node module: workflows may use it. */

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Soft: a later try may succeed. Hard: none of this card will. Later: the provider asks to be asked again soon. */
export type Decline = 'soft' | 'hard' | 'later';

/** A merchant's rules, as they were when the payment failed. Days count from the failure. */
export interface DunningPlan {
  /** Access goes on for so long. */
  graceDays: number;
  /** Rising; after the last one the subscription expires. */
  retryDays: readonly number[];
}

export const defaultPlan: DunningPlan = { graceDays: 7, retryDays: [1, 3, 7, 14, 21] };

/** A failed payment and what was tried since. Instants are milliseconds since 1970, in the merchant's time. */
export interface Dunning extends DunningPlan {
  failedMs: number;
  /** Of `retryDays`, how many are used up. */
  retries: number;
  /** Undefined while only a new card helps. */
  nextRetryMs?: number;
  /** In a row. */
  sooner: number;
}

/** As often as this in a row a provider may put a charge off by an hour, before the days count again. */
const soonerMax = 6;

/** The first failure of a period's payment. */
export function beginDunning(plan: DunningPlan, failedMs: number, decline: Decline): Dunning {
  const { graceDays, retryDays } = plan;
  return planRetry({ graceDays, retryDays, failedMs, retries: 0, sooner: 0 }, failedMs, decline);
}

/** A retry that failed, planned or asked for: those that were planned up to now are used up. */
export function afterRetry(dunning: Dunning, atMs: number, decline: Decline): Dunning {
  const due = dunning.retryDays.filter((days) => dunning.failedMs + days * dayMs <= atMs).length;
  return planRetry({ ...dunning, retries: Math.max(due, dunning.retries) }, atMs, decline);
}

/** A new card begins the planned retries again where they stand. */
export function withNewCard(dunning: Dunning, atMs: number): Dunning {
  return afterRetry({ ...dunning, sooner: 0 }, atMs, 'soft');
}

export const graceEndsMs = ({ failedMs, graceDays }: Dunning) => failedMs + graceDays * dayMs;

/** When hope is given up: the last planned day, whether or not the card is tried on it. */
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
