import { randomUUID } from 'node:crypto';
import { wakeSignal, webhookEndpointWorkflowId } from '../../workflows/messages';
import { enqueue, sendNow, type OutboxRow } from '../adapters/outbox';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { makeDue } from '../notifications/webhookWakes';
import { type WebhookEndpoint } from './webhooks.model';

/**
 * Runs a transaction that changes what an endpoint has to send, and wakes the endpoint's run after the commit. The relay
 * sends a wake that cannot be sent now.
 */
export async function withWake<T>(
  work: (inTransaction: Transaction) => Promise<{ wake: OutboxRow; result: T }>,
): Promise<T> {
  const { wake, result } = await transaction(work);
  await sendNow(wake);
  return result;
}

/** Wakes the endpoint's run, so that it looks for deliveries and reads the endpoint again. */
export async function enqueueWake(inTransaction: Transaction, endpoint: WebhookEndpoint): Promise<OutboxRow> {
  await makeDue(inTransaction, endpoint.id);
  const workflowId = webhookEndpointWorkflowId(endpoint.token);
  return enqueue(inTransaction, {
    messageId: `${workflowId}:${randomUUID()}`,
    workflow: 'webhookEndpoint',
    workflowId,
    signal: wakeSignal,
    input: { endpointId: endpoint.id, token: endpoint.token },
    labels: {
      merchantId: endpoint.merchantId,
      state: 'delivering',
      requestId: '',
      summary: `webhooks of endpoint ${endpoint.id}`,
    },
  });
}
