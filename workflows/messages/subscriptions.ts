import { type ChangeAnswer } from './changes';
import { type CycleCharge } from './charges';
import { type Standing } from './standing';

/** How a subscription begins and ends. Instants of its life are its merchant’s time. */

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
