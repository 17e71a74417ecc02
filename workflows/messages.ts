/** What crosses between the API, the workflows and the worker: names, ids, shapes. Only ids travel: no personal data. */

/** Instants are milliseconds since 1970. Those of a subscription's life are in its merchant's time. */

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

/** How a subscription's workflow ended: the row's final state. */
export interface SubscriptionResult {
  state: 'incomplete_expired' | 'expired' | 'canceled' | 'revoked';
}

export interface PaymentInput {
  /** The row's id. */
  paymentId: number;
}

/** How a payment's workflow ended: the row's final state. */
export interface PaymentResult {
  state: 'paid' | 'failed';
}

/**
 * One charge of one billing cycle. Cycle 1 is the first period; attempts count from 1 in each cycle. `amountMinor` counts
 * when the charge is first made; absent: the price, and in cycle 1 the setup fee.
 */
export interface CycleCharge {
  subscriptionId: number;
  cycle: number;
  attempt: number;
  amountMinor?: number;
  /** When it is made; absent: now. */
  atMs?: number;
}

/** The one charge of a payment: what its row says is to be paid. */
export interface PaymentCharge {
  paymentId: number;
}

export type ChargeInput = CycleCharge | PaymentCharge;

export type ChargeOutcome =
  | { outcome: 'paid' }
  /** `holdsVoucher`: others wait for the voucher's use meanwhile. */
  | { outcome: 'requires_action'; holdsVoucher?: true }
  | { outcome: 'declined'; reason: string; message: string; decline?: 'soft' | 'hard' | 'later' }
  /** The provider never charged: the same charge may be sent again. */
  | { outcome: 'not_sent' }
  /** Nobody knows yet: look it up before anything else. */
  | { outcome: 'unknown' };

export interface OpenedPeriod {
  periodEndMs: number;
  /** Absent in what older code answered. */
  standing?: Standing;
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

/** A step of a life, with the version that it follows on. */
export interface StepInput {
  subscriptionId: number;
  version: number;
  atMs: number;
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
export type Reminder = 'trial_ends' | 'payment_reminder' | 'access_ends';

export interface RenewalInput extends StepInput {
  autoRenew: boolean;
  reason: string;
}

export interface PauseInput extends StepInput {
  pauses: boolean;
  resumesAtMs?: number;
}

export type SwitchMode = 'now' | 'next_invoice' | 'next_period' | 'reset';

export interface SwitchInput extends StepInput {
  accessFeeId: number;
  mode?: SwitchMode;
}

/** What a change would cost at once. */
export interface Price {
  amountMinor: number;
  /** It waits for the next period: nothing is charged now. */
  isLater: boolean;
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

/** An export or an erasure of an account: its row's id. */
export interface AccountOperationInput {
  operationId: number;
}

export interface PaymentFailureInput {
  paymentId: number;
  reason: string;
  message: string;
}

export interface RefundInput {
  /** The row's id. */
  refundId: number;
}

/** How a refund's workflow ended: the row's final state. */
export interface RefundResult {
  state: 'refunded' | 'failed';
}

export type RefundOutcome =
  | { outcome: 'refunded' }
  | { outcome: 'refused'; message: string }
  /** The provider gave nothing back: the same refund may be sent again. */
  | { outcome: 'not_sent' }
  /** Nobody knows yet: look it up before anything else. */
  | { outcome: 'unknown' };

/** What a round of the reconciliation found: `different` names charges and refunds. */
export interface Reconciled {
  lookedUp: number;
  different: string[];
}

/** Started by a schedule, without an input. */
export type ScheduledWorkflow = 'reconcile';

export interface WorkflowInputs {
  subscription: SubscriptionInput;
  payment: PaymentInput;
  refund: RefundInput;
  exportAccount: AccountOperationInput;
  eraseAccount: AccountOperationInput;
}
export type WorkflowName = keyof WorkflowInputs;

export type AccountWorkflow = 'exportAccount' | 'eraseAccount';

export const accountWorkflowId = (kind: 'export' | 'erasure', token: string) => `account-${kind}-${token}`;
export const subscriptionWorkflowId = (token: string) => `subscription-${token}`;
export const paymentWorkflowId = (token: string) => `payment-${token}`;
export const refundWorkflowId = (token: string) => `refund-${token}`;

/** The payer of a payment starts anew: an authentication that nobody has answered is given up. Answers how it ended. */
export const giveUpPaymentUpdate = 'giveUp';

/** The payer, or the provider's page, has answered an authentication: look the charge up. */
export const paymentAnsweredSignal = 'paymentAnswered';

/**
 * What a person may ask of a running subscription. `id` names the request for ever; `atMs` is when it was made, by the
 * merchant's clock, and `aheadMs` how far that was ahead.
 */
export type ChangeRequest = { id: string; atMs: number; aheadMs: number } & Change;
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

/** The same as an update, for what must not be lost while the workflow server is away. */
export const changeRequestedSignal = 'changeRequested';
/** The merchant's test clock has moved. */
export const clockMovedSignal = 'clockMoved';
export interface ClockMoved {
  aheadMs: number;
}
/** Money went back: access ends at once; and the opposite. */
export const revokedSignal = 'revoked';
export const restoredSignal = 'restored';
export interface Revoked {
  atMs: number;
  reason: string;
}
/** The account is gone: canceled now, and nothing is charged after it. */
export const accountErasedSignal = 'accountErased';
export interface AccountErased {
  atMs?: number;
}
export type SignalInput = ChangeRequest | ClockMoved | Revoked | AccountErased;

/** What support asks a run. */
export const standingQuery = 'standing';

/** Search attributes of the Temporal namespace; they are not encrypted, so they hold ids and states only. */
export const searchAttributes = {
  merchant: 'PaywallMerchant',
  item: 'PaywallItem',
  state: 'PaywallState',
  failureReason: 'PaywallFailureReason',
} as const;
