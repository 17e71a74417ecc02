import { type ChangeAnswer, type ChangeRequest } from './changes';
import { type CycleCharge, type NamedCharge } from './charges';
import { type SubscriptionSnapshot } from './snapshot';

/** The input, the start and the end of a subscription's run. Times are the merchant's time. */

/** A run starts from its row. The input contains only the id. */
export interface SubscriptionInput {
  /** The id of the subscription's row. */
  subscriptionId: number;
  /** The state that a run passes on to the next one. */
  carried?: CarriedState;
}

/**
 * The first read of a run. `gone`: the row is missing, because an older database was restored. `requests`: those that the
 * row keeps, the oldest first. Absent if it keeps none.
 */
export type RunStart =
  | { state: 'gone' }
  | ({ clock: ClockState; requests?: ChangeRequest[] } & (
      | { state: 'incomplete'; hasTrial: boolean; firstMinor: number; setup?: AskedSetup }
      | { state: 'incomplete_expired' }
      | {
          state: 'begun';
          snapshot: SubscriptionSnapshot;
          pendingAuthentication?: CycleCharge;
          unfinished?: CycleCharge;
        }
    ));

/** The card of a subscription that begins without a charge. Its payer must authenticate it. */
export interface AskedSetup {
  askedAtMs: number;
}

/** The offset of the merchant's test clock. */
export interface ClockState {
  aheadMs: number;
  /** The merchant's time immediately after the last move. A step that was due before takes effect at its due time. */
  jumpedToMs: number;
}

export const subscriptionWorkflowId = (token: string) => `subscription-${token}`;

/** The final state of the subscription's row. */
export interface SubscriptionResult {
  state: 'incomplete_expired' | 'expired' | 'canceled' | 'revoked' | 'gone';
}

/** All other state is read from the row. */
export interface CarriedState {
  /** The version of the row. A row with a lower version is from an older database. */
  version: number;
  /** The answered requests, the newest last. A repeated request gets the same answer. */
  answered: AnsweredRequest[];
  /** Messages of a run that starts over. No client waits for their answers. */
  waiting?: PendingMessage[];
  /** The deferred charge of the row, of which the provider has confirmed that nothing was sent. */
  unsent?: NamedCharge;
}

/**
 * The failure type of a step whose row is behind its run. PostgreSQL was restored to an older state, so state that only
 * the run knows must not be used.
 */
export const rowBehind = 'RowBehind';

/**
 * The failure type of a step whose row is ahead of its run: a worker took another step and lost its task, so that the run
 * does not know it. The run starts again from the row.
 */
export const rowAhead = 'RowAhead';

/** The database may have been restored, or the run may have lost a step: compare the run with the row. */
export const checkRowSignal = 'checkRow';

/** A message that was not processed before the run started over. The next run processes it. */
export type PendingMessage = { atMs: number } & (
  | { kind: 'request'; request: ChangeRequest }
  | { kind: 'revoked'; id?: string; reason: string }
  | { kind: 'restored'; id?: string }
  | { kind: 'returned'; id: string; cycle: number }
  | { kind: 'erased' }
);

export interface AnsweredRequest {
  id: string;
  answer: ChangeAnswer;
}
