/** What crosses between the API, the workflows and the worker: names, ids, shapes. Only ids travel: no personal data. */

export interface SubscriptionInput {
  /** The row's id. */
  subscriptionId: number;
}

/** How a subscription's workflow ended: the row's final state. */
export interface SubscriptionResult {
  state: 'incomplete_expired' | 'expired';
}

/** One charge of one billing cycle. Cycle 1 is the first period; attempts count from 1 in each cycle. */
export interface ChargeInput {
  subscriptionId: number;
  cycle: number;
  attempt: number;
}

export type ChargeOutcome =
  | { outcome: 'paid' }
  | { outcome: 'requires_action' }
  | { outcome: 'declined'; reason: string; message: string }
  /** The provider never charged: the same charge may be sent again. */
  | { outcome: 'not_sent' }
  /** Nobody knows yet: look it up before anything else. */
  | { outcome: 'unknown' };

export interface OpenedPeriod {
  /** Milliseconds since 1970. */
  periodEndMs: number;
}

export interface FailureInput {
  subscriptionId: number;
  reason: string;
  message: string;
}

export interface WorkflowInputs {
  subscription: SubscriptionInput;
}
export type WorkflowName = keyof WorkflowInputs;

export const subscriptionWorkflowId = (token: string) => `subscription-${token}`;

/** The payer, or the provider's page, has answered an authentication: look the charge up. */
export const paymentAnsweredSignal = 'paymentAnswered';

/** Search attributes of the Temporal namespace; they are not encrypted, so they hold ids and states only. */
export const searchAttributes = {
  merchant: 'PaywallMerchant',
  item: 'PaywallItem',
  state: 'PaywallState',
  failureReason: 'PaywallFailureReason',
} as const;
