import { type Answers } from './charging';
import { type Inbox } from './inbox';
import { type MerchantClock } from './merchantClock';
import {
  type Actor,
  type ChangeAnswer,
  type CycleCharge,
  type NamedCharge,
  type SubscriptionSnapshot,
} from './messages';

/** The state of a running subscription's workflow. */
export interface SubscriptionRun {
  subscriptionId: number;
  snapshot: SubscriptionSnapshot;
  clock: MerchantClock;
  inbox: Inbox;
  answers: Answers;
  /** The number of answers that were looked up. */
  answersSeen: number;
  /** The actor of the request in progress. */
  actor?: Actor;
  /** The id of the message in progress. */
  messageId?: string | undefined;
  /** The step in progress. */
  doing?: string;
  /** The account is erased, so nothing can be restored to it. */
  isErased?: true;
  /** Whether a signal has reported that the row may have another version than this run knows. */
  mustCheckRow?: boolean;
  /** A charge of the open period that waits for its payer's authentication. */
  pendingCharge?: CycleCharge;
  /**
   * The deferred charge of the row, of which the provider has confirmed that nothing was sent. A run that begins from the row
   * does not know it, because a lost run may have sent the charge.
   */
  unsent?: NamedCharge;
  /** The last wait for a provider that did not know the outcome of a charge. */
  lookUpWaitMs?: number;
}

/** The subscriber has made the request in progress, and can authenticate a charge. A merchant cannot. */
export const isPayerPresent = ({ actor }: SubscriptionRun) => actor !== undefined && actor.audited === undefined;

export const hasEnded = ({ snapshot }: SubscriptionRun) => ['canceled', 'expired', 'revoked'].includes(snapshot.state);

export const done = (run: SubscriptionRun): ChangeAnswer => ({ done: true, state: run.snapshot.state });

/** The input of every step. */
export const stepAt = ({ subscriptionId, snapshot: snapshot, actor }: SubscriptionRun, atMs: number) => ({
  subscriptionId,
  version: snapshot.version,
  atMs,
  ...(actor && { actor }),
});

/** The input of the last step of a message. The history then tells a later run that the message is complete. */
export const lastStepAt = (run: SubscriptionRun, atMs: number) => ({
  ...stepAt(run, atMs),
  ...(run.messageId !== undefined && { completes: run.messageId }),
});

export const hasPendingMessages = ({
  inbox,
  pendingCharge,
  answers,
  answersSeen,
  mustCheckRow,
  snapshot,
}: SubscriptionRun): boolean =>
  inbox.isCalled() ||
  mustCheckRow === true ||
  ((pendingCharge !== undefined || snapshot.processing !== undefined) && answers.count > answersSeen);
