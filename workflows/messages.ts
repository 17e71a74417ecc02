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
  /** Somebody waits for the outcome: a card that asks for an authentication is refused, and nobody is sent there. */
  mustSettle?: true;
}

/** The one charge of a payment: what its row says is to be paid. */
export interface PaymentCharge {
  paymentId: number;
}

export type ChargeInput = CycleCharge | PaymentCharge;

/** `isLast`: a provider that does not answer is asked no more; the charge counts as declined. */
export type VoidInput = ChargeInput & { isLast?: true };

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
  /** As it was priced and paid, whatever the fee is by now; absent: not priced. */
  agreed?: AgreedSwitch;
}

/** The plan and the lines that a change was priced by. */
export interface AgreedSwitch {
  plan: SwitchPlan;
  quote: {
    mode: SwitchMode;
    creditMinor: number;
    chargeMinor: number;
    totalMinor: number;
    balanceMinor: number;
    isNewPeriod: boolean;
  };
}

type Unit = 'hour' | 'day' | 'week' | 'month' | 'year';

export interface SwitchPlan {
  id: number;
  amountMinor: number;
  quantity: number;
  period: Unit;
  trialQuantity: number | null;
  trialPeriod: Unit | null;
}

/** What a change would cost at once. */
export interface Price {
  amountMinor: number;
  /** It waits for the next period: nothing is charged now. */
  isLater: boolean;
  /** Absent in what older code answered. */
  agreed?: AgreedSwitch;
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

/** What a round of the reconciliation found: charges and refunds that need a person, and charges that it gave back. */
export interface Reconciled {
  lookedUp: number;
  different: string[];
  /** Absent in what older code answered. */
  returned?: string[];
}

/** Started by a schedule, without an input. */
export type ScheduledWorkflow = 'reconcile';
/** A claim of a store purchase: its row's id. The receipt stays in the row. */
export interface ExternalPaymentInput {
  externalPaymentId: number;
  /** How often its store was asked in earlier runs. */
  tries?: number;
}

/** How a claim ended: the row's final state. */
export interface ExternalPaymentResult {
  state: 'succeeded' | 'failed';
}

export type ClaimAnswer =
  | { outcome: 'settled'; state: ExternalPaymentResult['state'] }
  /** The store could not be asked, or has not got the money yet: ask again, not before `retryAfterMs`. */
  | { outcome: 'unavailable' | 'unpaid'; retryAfterMs: number };

export interface StorePurchaseInput {
  /** The row's id. */
  storePurchaseId: number;
}

/** A purchase that its store has told of, and no account has presented: by a notification that names it. */
export interface UnclaimedPurchaseInput {
  store: 'apple' | 'google-play' | 'amazon' | 'roku';
  notificationId: string;
  /** How often its store was asked in earlier runs. */
  tries?: number;
}

export type AdoptionAnswer =
  /** It has an account now, or nobody knows whose it is: it waits for its app. */
  { outcome: 'settled'; isAdopted: boolean } | { outcome: 'unavailable'; retryAfterMs: number };

export interface LookInput extends StorePurchaseInput {
  /** Somebody has told of a change: the store is asked whether or not it is time. */
  isAsked: boolean;
}

export interface LookResult {
  state: string;
  /** Until the store should be asked again; null: it need not be. */
  waitMs: number | null;
  /** The store could not be asked: again, and not before this. */
  retryAfterMs?: number;
  needsAcknowledgement: boolean;
}

export interface WebhookEndpointInput {
  /** The row's id. */
  endpointId: number;
  /** Its name in workflow ids. */
  token: string;
}

/** Why an endpoint's run ended: nothing was left to send, or nothing may be sent. */
export interface WebhookEndpointResult {
  state: 'idle' | 'stopped';
}

/** The next event that an endpoint is to hear of, or that there is none. */
export type NextDelivery = ({ state: 'found' } & FoundDelivery) | WebhookEndpointResult;

export interface FoundDelivery {
  deliveryId: number;
  merchantId: number;
  sequence: number;
  type: string;
  /** Attempts that were made, and how far it is in its schedule. */
  attempts: number;
  step: number;
}

export interface WebhookDeliveryInput {
  /** The row's id. */
  deliveryId: number;
  attempts: number;
  step: number;
  /** Somebody asked for it: one attempt, and nothing depends on it. */
  isSingle?: true;
}

export interface WebhookDeliveryResult {
  state: 'delivered' | 'failed' | 'dropped' | 'stopped';
}

export interface AttemptInput {
  deliveryId: number;
  /** Counts from 1. */
  attempt: number;
  step: number;
  /** When the next one follows, should this one fail; absent: it is the last. */
  retryInMs?: number;
}

export type AttemptOutcome =
  | { outcome: 'delivered' }
  /** `isGone`: the receiver wants no more of them, ever. */
  | { outcome: 'failed'; reason: string; isGone: boolean }
  /** The event is no longer kept. */
  | { outcome: 'dropped' }
  /** The endpoint was turned off or deleted. */
  | { outcome: 'stopped' };

export interface GivenUp {
  deliveryId: number;
  reason: 'failing' | 'gone';
}

export interface WorkflowInputs {
  externalPayment: ExternalPaymentInput;
  storePurchase: StorePurchaseInput;
  unclaimedPurchase: UnclaimedPurchaseInput;
  subscription: SubscriptionInput;
  payment: PaymentInput;
  refund: RefundInput;
  exportAccount: AccountOperationInput;
  eraseAccount: AccountOperationInput;
  webhookEndpoint: WebhookEndpointInput;
  webhookDelivery: WebhookDeliveryInput;
}
export type WorkflowName = keyof WorkflowInputs;

export type AccountWorkflow = 'exportAccount' | 'eraseAccount';

export const accountWorkflowId = (kind: 'export' | 'erasure', token: string) => `account-${kind}-${token}`;

/** Those that begin again under the same id: what they have to do stands in the database, and nothing when it is done. */
export const rerunning: readonly WorkflowName[] = ['webhookEndpoint', 'webhookDelivery'];

export const subscriptionWorkflowId = (token: string) => `subscription-${token}`;
export const paymentWorkflowId = (token: string) => `payment-${token}`;
export const refundWorkflowId = (token: string) => `refund-${token}`;

/** The payer of a payment starts anew: an authentication that nobody has answered is given up. Answers how it ended. */
export const giveUpPaymentUpdate = 'giveUp';

export const externalPaymentWorkflowId = (token: string, attempt: number) => `external-payment-${token}-${attempt}`;
/** `name`: of the notification, without what an id may not hold. */
export const unclaimedPurchaseWorkflowId = (store: string, name: string) => `unclaimed-purchase-${store}-${name}`;
export const storePurchaseWorkflowId = (token: string) => `store-purchase-${token}`;

/** A store has told of a purchase: ask it how that stands. */
export const lookAgainSignal = 'lookAgain';

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
/** What a run says to all but `giveUp` until its first period has begun. */
export const notBegunYet = 'The subscription has not begun yet.';

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
/** What goes to a run that begins again with its signal is its input too. */
export type SignalInput = ChangeRequest | ClockMoved | Revoked | AccountErased | WebhookDeliveryInput;

/** What support asks a run. */
export const standingQuery = 'standing';
/** An endpoint's run, of which there is one at most; it ends whenever there is nothing to send. SQL makes its id too. */
export const webhookEndpointRun = {
  workflow: 'webhookEndpoint',
  idPrefix: 'webhook-endpoint-',
} as const satisfies { workflow: WorkflowName; idPrefix: string };
export const webhookEndpointWorkflowId = (token: string) => `${webhookEndpointRun.idPrefix}${token}`;
export const webhookDeliveryWorkflowId = (token: string, sequence: number) => `webhook-${token}-${sequence}`;
/** What somebody asked for, beside the endpoint's order. */
export const webhookAgainWorkflowId = (token: string, webhookId: string, attempt: number) =>
  `webhook-${token}-${webhookId}-attempt-${attempt}`;

/** There is something to do. Sent to a run that may have ended, it starts the next one. */
export const wakeSignal = 'wake';
/** A delivery that waits is to be tried at once, and to see whether its endpoint is still there. */
export const tryNowSignal = 'tryNow';

/** Activities that wait for merchants' servers have a queue of their own, so that slow ones hold nothing else up. */
export const webhookTaskQueue = (taskQueue: string) => `${taskQueue}-webhooks`;

/** Search attributes of the Temporal namespace; they are not encrypted, so they hold ids and states only. */
export const searchAttributes = {
  merchant: 'PaywallMerchant',
  item: 'PaywallItem',
  state: 'PaywallState',
  failureReason: 'PaywallFailureReason',
} as const;
