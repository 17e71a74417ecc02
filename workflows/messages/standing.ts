/** How a subscription stands: what its workflow knows of it, and its steps answer. Instants are its merchant’s time. */

export type LivingState = 'trialing' | 'active' | 'past_due' | 'on_hold' | 'paused';

export type EndState = 'canceled' | 'expired' | 'revoked';

/** How a subscription stands: all that its workflow decides by, as the row has it. */
export interface Standing {
  /** Counts the steps of its life: a step that has happened is not taken again. */
  version: number;
  state: LivingState | EndState;
  autoRenew: boolean;
  /** Where it does not renew: whether somebody has canceled it; absent in what older code answered. */
  isCanceled?: boolean;
  /** Counts the occasions to charge. */
  cycle: number;
  /** Of the cycle. */
  attempt: number;
  periodEndMs: number;
  trial?: { startMs: number; endMs: number };
  pausesAtPeriodEnd: boolean;
  resumesAtMs?: number;
  /** What the period that has begun still costs. */
  dueMinor: number;
  /** Since a payment failed. */
  dunning?: {
    graceDays: number;
    retryDays: readonly number[];
    failedMs: number;
    retries: number;
    nextRetryMs?: number;
    sooner: number;
  };
  /** The mails that this stretch of the life has had. */
  reminded: readonly string[];
}

export type Reminder = 'trial_ends' | 'payment_reminder' | 'access_ends';

/** What support asks a run. */
export const standingQuery = 'standing';
