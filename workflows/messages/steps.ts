import { type Actor } from './actors';
import { type EndState, type Reminder, type SubscriptionSnapshot } from './snapshot';

/** Inputs and results of a subscription's steps. */

export interface OpenedPeriod {
  periodEndMs: number;
  snapshot: SubscriptionSnapshot;
}

/** `refused`: the trial cannot begin, for example because its voucher is used up. */
export type OpenedTrial = OpenedPeriod | { refused: { reason: string; message: string } };

/** The version that the run knows. A row with a lower one is behind. */
export interface RowCheck {
  subscriptionId: number;
  version: number;
}

/** The input of a step. The step applies only to this version of the row. */
export interface StepInput {
  subscriptionId: number;
  version: number;
  atMs: number;
  /** The account that requested the step. Absent for a timed step. */
  actor?: Actor;
  /** The id of the request or notice that is complete with the step. */
  completes?: string;
  /** The id of a change that the step makes once, as part of a request. */
  changeId?: string;
}

export interface DeclinedInput extends StepInput {
  attempt: number;
  reason: string;
  message: string;
  decline: 'soft' | 'hard' | 'later';
}

/** The period's charge could not be sent and is retried later. */
export interface DeferInput extends StepInput {
  attempt: number;
  nextTryMs: number;
}

/** The period's direct debit was submitted. */
export interface DebitInput extends StepInput {
  attempt: number;
}

/** The first direct debit of a subscription failed. */
export interface FirstDebitInput extends StepInput {
  reason: string;
  message: string;
}

export interface EndInput extends StepInput {
  to: EndState;
  reason: string;
  /** In the words of the person who cancels. They are personal, so the history of the subscription does not contain them. */
  cancelReason?: string;
  /** No mail is sent, because the account is erased. */
  isSilent?: boolean;
}

export interface RemindInput extends StepInput {
  reminder: Reminder;
}

export interface RenewalInput extends StepInput {
  autoRenew: boolean;
  reason: string;
}

export interface PauseInput extends StepInput {
  pauses: boolean;
  resumesAtMs?: number;
}

/** `changeId`: the id of the request, which takes effect once. */
export interface ExtendInput extends StepInput {
  days: number;
  changeId: string;
}

/** `refused`: the end would be later than clients can read. */
export type ExtensionOutcome = SubscriptionSnapshot | { refused: string };

/** `presentationId`: the offer that the customer saw. */
export interface OfferInput extends StepInput {
  presentationId: number;
}

/** `refused`: the offer is no longer open. */
export type OfferOutcome = { snapshot: SubscriptionSnapshot } | { refused: string };

/** A charge for a change failed: its cycle number is not used again. */
export interface RefusedInput extends StepInput {
  reason: string;
  message: string;
  /** The charge; by default that of the change in progress. */
  charge?: { cycle: number; attempt: number };
}

/** A stored request that the run has carried out or refused. */
export interface DecidedRequest {
  subscriptionId: number;
  /** Of the request. */
  id: string;
}

export interface CardChange extends StepInput {
  cardId: number;
  /** The id of the request. */
  changeId: string;
}

/** `refused`: an earlier run used the card, and the subscription has another card since then. */
export type CardOutcome = SubscriptionSnapshot | { refused: string };

export interface FailureInput {
  subscriptionId: number;
  reason: string;
  message: string;
}
