/** Webhook endpoints and their runs. */

export interface WebhookEndpointInput {
  /** The id of the endpoint's row. */
  endpointId: number;
  /** The endpoint's name in workflow ids. */
  token: string;
}

/**
 * An endpoint has at most one run. The run ends when there is nothing to send. An SQL statement builds the same
 * workflow id.
 */
export const webhookEndpointRun = {
  workflow: 'webhookEndpoint',
  idPrefix: 'webhook-endpoint-',
} as const;

export const webhookEndpointWorkflowId = (token: string) => `${webhookEndpointRun.idPrefix}${token}`;

/**
 * `idle`: nothing is left to send. `stopped`: the endpoint is deleted or turned off, or another round has taken over.
 */
export interface WebhookEndpointResult {
  state: 'idle' | 'stopped';
}

/** The result of one round. */
export type WebhookRound =
  | WebhookEndpointResult
  /** The round's time is over; more deliveries may be due. */
  | { state: 'delivering' }
  /** The remaining deliveries are due later. `failure`: why the last failed attempt failed. */
  | { state: 'retrying'; dueInMs: number; failure?: string };

/** Wakes an endpoint's run. If the run has ended, the signal starts a new one. */
export const wakeSignal = 'wake';

/** Activities that call merchants' servers have their own queue, so that slow servers delay nothing else. */
export const webhookTaskQueue = (taskQueue: string) => `${taskQueue}-webhooks`;
