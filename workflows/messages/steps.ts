import { type Actor } from './actors';
import { type EndState, type Reminder, type Standing } from './standing';

/** The steps of a subscription’s life, as its workflow asks for them. */

export interface OpenedPeriod {
  periodEndMs: number;
  /** Absent in what older code answered. */
  standing?: Standing;
  /** It does not begin, and why. */
  refused?: { reason: string; message: string };
}

/** A step of a life, with the version that it follows on. */
export interface StepInput {
  subscriptionId: number;
  version: number;
  atMs: number;
  /** Who asked for it; absent: nobody, its time had come. */
  actor?: Actor;
}

export interface DeclinedInput extends StepInput {
  attempt: number;
  reason: string;
  message: string;
  decline: 'soft' | 'hard' | 'later';
}

export interface EndInput extends StepInput {
  to: EndState;
  reason: string;
  /** There is nobody to write to. */
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

/** A charge outside a period's own did not succeed: its cycle is used up. */
export interface RefusedInput extends StepInput {
  reason: string;
  message: string;
}

export interface CardChange extends StepInput {
  cardId: number;
}

export interface FailureInput {
  subscriptionId: number;
  reason: string;
  message: string;
}
