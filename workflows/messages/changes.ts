import { type Actor } from './actors';
import { type SwitchMode } from './switches';

/** Requests and notices to a running subscription. */

/**
 * A change of a running subscription. `id` is unique to the request. `atMs` is its time by the merchant's clock, and
 * `aheadMs` the clock's offset.
 */
export type ChangeRequest = { id: string; atMs: number; aheadMs: number; actor?: Actor } & Change;

export type Change =
  /** `reason`: in the words of the person who cancels. `cause`: why the service cancels. */
  | { kind: 'cancel'; at: 'period_end' | 'now'; reason: string; cause?: 'access_revoked' }
  | { kind: 'resume' }
  | { kind: 'pause'; resumesAtMs?: number }
  /** Moves the end of the period, and the next charge with it. */
  | { kind: 'extend'; days: number }
  | { kind: 'retry' }
  /** `maxMinor`: the most that may be charged now, with a debt. Absent if the customer was shown no total. */
  | { kind: 'switch'; accessFeeId: number; mode?: SwitchMode; maxMinor?: number }
  | { kind: 'useCard'; cardId: number }
  /** Accepts an offer in place of a cancellation. */
  | { kind: 'takeOffer'; presentationId: number }
  /** Gives up a pending authentication, because the payer starts again. */
  | { kind: 'giveUp' };

export type ChangeKind = Change['kind'];

export type ChangeAnswer =
  | DecidedAnswer
  /** The run starts again from the row, and has not decided. The request must be sent again. */
  | { done: false; why: 'again' };

export type DecidedAnswer =
  /** `isPending`: the bank decides on the direct debit of the change. */
  | { done: true; state: string; isPending?: true }
  /** The subscription's state does not allow the change. */
  | { done: false; why: 'state'; explain: string }
  /** The payment failed. */
  | { done: false; why: 'payment'; explain: string }
  /** More is due than the customer was shown, so nothing was charged. `totalMinor`: what is due. */
  | { done: false; why: 'price'; explain: string; totalMinor: number };

/** The names of the updates, one for each change. */
export const changeUpdates: Record<ChangeKind, string> = {
  cancel: 'cancel',
  resume: 'resume',
  pause: 'pause',
  extend: 'extend',
  retry: 'retry',
  switch: 'switchPlan',
  useCard: 'useCard',
  takeOffer: 'takeOffer',
  giveUp: 'giveUp',
};

/** The failure type of an update that its validator refused. */
export const refusedChange = 'RefusedChange';

/** A change as a signal, which is not lost while the Temporal server is unavailable. */
export const changeRequestedSignal = 'changeRequested';

/** The refusal of a change while the bank decides on the direct debit of the first payment. */
export const firstDebitOpen = 'The first payment is still being processed by the bank.';

/**
 * Whether a request with this id was received before. A repeated request is not checked against the state after its own
 * change.
 */
export const isKnownQuery = 'isKnown';

/** A payment was refunded or disputed, so access ends immediately. `restored` reverses that. */
export const revokedSignal = 'revoked';
export const restoredSignal = 'restored';

/** The payer's bank has taken a paid direct debit back. */
export const debitReturnedSignal = 'debitReturned';

export interface DebitReturn {
  /** Unique to the notice. */
  id: string;
  atMs: number;
  /** The billing cycle that the debit paid. */
  cycle: number;
}

export interface RevocationNotice {
  /** Unique to the notice: a repeated one is ignored. */
  id?: string;
  atMs: number;
  reason: string;
}
