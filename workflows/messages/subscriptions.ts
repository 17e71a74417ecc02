import { type ChangeAnswer } from './changes';
import { type CycleCharge } from './charges';

/** How a subscription begins, stands and ends. Instants of its life are its merchant’s time. */

export interface SubscriptionInput {
  /** The row's id. */
  subscriptionId: number;
  /** How far the merchant's test clock is ahead; absent: not at all. */
  aheadMs?: number;
  /** It begins with free time instead of a payment. */
  hasTrial?: boolean;
  /** What the first charge is; absent: the price and the setup fee. */
  amountMinor?: number;
  /** What a run hands on to the next. */
  carried?: Carried;
}

export const subscriptionWorkflowId = (token: string) => `subscription-${token}`;

/** How a subscription's workflow ended: the row's final state. */
export interface SubscriptionResult {
  state: 'incomplete_expired' | 'expired' | 'canceled' | 'revoked';
}

export interface Carried {
  standing: Standing;
  clock: { aheadMs: number; jumpedToMs: number };
  /** Requests that were answered, newest last: one that comes again hears the same. */
  answered: Answered[];
  /** A charge that waits for its payer. */
  asked?: CycleCharge;
}

export interface Answered {
  id: string;
  answer: ChangeAnswer;
}

export type LivingState = 'trialing' | 'active' | 'past_due' | 'on_hold' | 'paused';

export type EndState = 'canceled' | 'expired' | 'revoked';

/** How a subscription stands: all that its workflow decides by, as the row has it. */
export interface Standing {
  /** Counts the steps of its life: a step that has happened is not taken again. */
  version: number;
  state: LivingState | EndState;
  autoRenew: boolean;
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
