/** The state of a subscription as its workflow and steps exchange it. Times are the merchant's time. */

export type LivingState = 'trialing' | 'active' | 'past_due' | 'on_hold' | 'paused';

export type EndState = 'canceled' | 'expired' | 'revoked';

/** The part of a subscription's row that its workflow needs for its decisions. */
export interface SubscriptionSnapshot {
  /** Increases with each step, so that a step is not taken twice. */
  version: number;
  state: LivingState | EndState;
  autoRenew: boolean;
  /** For a subscription that does not renew: whether it was canceled. */
  isCanceled?: boolean;
  /** The number of the billing cycle. */
  cycle: number;
  /** The number of the attempt within the cycle. */
  attempt: number;
  periodEndMs: number;
  trial?: { startMs: number; endMs: number };
  pausesAtPeriodEnd: boolean;
  resumesAtMs?: number;
  /** The open amount of the current period. */
  dueMinor: number;
  /** The start of the charge in progress. Absent if there is none. */
  collectsAtMs?: number;
  /** Present since a payment failed. */
  dunning?: {
    graceDays: number;
    retryDays: readonly number[];
    failedMs: number;
    retries: number;
    nextRetryMs?: number;
    sooner: number;
  };
  /** Present while the period's charge waits for the provider. The payer is not the cause. */
  deferral?: {
    sinceMs: number;
    /** The number of attempts since then. */
    tries: number;
    nextTryMs: number;
    /** Access continues until then. */
    graceEndsMs: number;
  };
  /** Present while the bank decides on the direct debit of the period. */
  processing?: {
    /** The time of the next request to the provider. */
    nextLookMs: number;
    /** Whether nothing was paid before. The subscription then ends if the debit fails. */
    isFirst?: true;
  };
  /** The reminders already sent; cleared when a period or a pause begins. */
  reminded: readonly string[];
}

export type Reminder = 'trial_ends' | 'payment_reminder' | 'access_ends';

/** The query by which support reads a run's state. */
export const snapshotQuery = 'snapshot';
