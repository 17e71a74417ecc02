import { type Actor } from './actors';
import { type SwitchMode } from './switches';

/** What a running subscription is asked and told. */

/**
 * What a person may ask of a running subscription. `id` names the request for ever; `atMs` is when it was made, by the
 * merchant's clock, and `aheadMs` how far that was ahead.
 */
export type ChangeRequest = { id: string; atMs: number; aheadMs: number; actor?: Actor } & Change;

export type Change =
  | { kind: 'cancel'; at: 'period_end' | 'now'; reason: string }
  | { kind: 'resume' }
  | { kind: 'pause'; resumesAtMs?: number }
  | { kind: 'retry' }
  | { kind: 'switch'; accessFeeId: number; mode?: SwitchMode }
  | { kind: 'useCard'; cardId: number }
  /** The payer starts anew: an authentication that nobody has answered is given up. */
  | { kind: 'giveUp' };

export type ChangeKind = Change['kind'];

export type ChangeAnswer =
  | { done: true; state: string }
  /** The state does not allow it. */
  | { done: false; why: 'state'; explain: string }
  /** The money did not come. */
  | { done: false; why: 'payment'; explain: string };

/** The updates, one a change. */
export const changeUpdates: Record<ChangeKind, string> = {
  cancel: 'cancel',
  resume: 'resume',
  pause: 'pause',
  retry: 'retry',
  switch: 'switchPlan',
  useCard: 'useCard',
  giveUp: 'giveUp',
};

/** An update that a validator refused fails with this type. */
export const refusedChange = 'RefusedChange';

/** What a run says to all but `giveUp` until its first period has begun. */
export const notBegunYet = 'The subscription has not begun yet.';

/** The same as an update, for what must not be lost while the workflow server is away. */
export const changeRequestedSignal = 'changeRequested';

/** Money went back: access ends at once; and the opposite. */
export const revokedSignal = 'revoked';
export const restoredSignal = 'restored';

export interface Revoked {
  /** Names the word for ever: heard twice, it happened once. Absent in what older code sent. */
  id?: string;
  atMs: number;
  reason: string;
}
