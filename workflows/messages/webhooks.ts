/** Endpoints of merchants, and the deliveries to them. */

export interface WebhookEndpointInput {
  /** The row's id. */
  endpointId: number;
  /** Its name in workflow ids. */
  token: string;
}

/** An endpoint's run, of which there is one at most; it ends whenever there is nothing to send. SQL makes its id too. */
export const webhookEndpointRun = {
  workflow: 'webhookEndpoint',
  idPrefix: 'webhook-endpoint-',
} as const;

export const webhookEndpointWorkflowId = (token: string) => `${webhookEndpointRun.idPrefix}${token}`;

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

export const webhookDeliveryWorkflowId = (token: string, sequence: number) => `webhook-${token}-${sequence}`;

/** What somebody asked for, beside the endpoint's order. */
export const webhookAgainWorkflowId = (token: string, webhookId: string, attempt: number) =>
  `webhook-${token}-${webhookId}-attempt-${attempt}`;

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

/** There is something to do. Sent to a run that may have ended, it starts the next one. */
export const wakeSignal = 'wake';

/** A delivery that waits is to be tried at once, and to see whether its endpoint is still there. */
export const tryNowSignal = 'tryNow';

/** Activities that wait for merchants' servers have a queue of their own, so that slow ones hold nothing else up. */
export const webhookTaskQueue = (taskQueue: string) => `${taskQueue}-webhooks`;
