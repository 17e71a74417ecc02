import { randomUUID } from 'node:crypto';
import {
  tryNowSignal,
  wakeSignal,
  webhookAgainWorkflowId,
  webhookDeliveryWorkflowId,
  webhookEndpointWorkflowId,
} from '../../../workflows/messages';
import { enqueue, sendNow, type OutboxRow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { WebhookDelivery, type WebhookEndpoint } from '../model';

/** What the runs of webhooks are to hear of a change. */

/** What a transaction promised is sent after its commit; what cannot be sent, the relay sends. */
export async function keepingPromises<T>(
  work: (inTransaction: Transaction) => Promise<{ promises: OutboxRow[]; result: T }>,
): Promise<T> {
  const { promises, result } = await transaction(work);
  for (const promise of promises) await sendNow(promise);
  return result;
}

/** Promises that the endpoint's run looks for something to do. */
export function promiseWake(inTransaction: Transaction, endpoint: WebhookEndpoint): Promise<OutboxRow> {
  const workflowId = webhookEndpointWorkflowId(endpoint.token);
  return enqueue(inTransaction, {
    messageId: `${workflowId}:${randomUUID()}`,
    workflow: 'webhookEndpoint',
    workflowId,
    signal: wakeSignal,
    input: { endpointId: endpoint.id, token: endpoint.token },
    labels: labelsOf(endpoint, `webhooks of endpoint ${endpoint.id}`),
  });
}

/** Promises that what is in hand is tried at once, and sees what has become of its endpoint; none where there is none. */
export async function promiseLook(inTransaction: Transaction, endpoint: WebhookEndpoint): Promise<OutboxRow[]> {
  const delivery = await WebhookDelivery.findOne({
    where: { endpointId: endpoint.id, state: 'pending', isQueued: true },
    transaction: inTransaction,
  });
  if (!delivery || delivery.sequence === null) return [];
  const workflowId = webhookDeliveryWorkflowId(endpoint.token, delivery.sequence);
  const promise = await enqueue(inTransaction, {
    messageId: `${workflowId}:${randomUUID()}`,
    workflow: 'webhookDelivery',
    workflowId,
    signal: tryNowSignal,
    input: inputOf(delivery),
    labels: labelsOf(endpoint, ''),
  });
  return [promise];
}

/** Promises one attempt beside the endpoint's order. */
export function promiseSingle(
  inTransaction: Transaction,
  endpoint: WebhookEndpoint,
  delivery: WebhookDelivery,
): Promise<OutboxRow> {
  const workflowId = webhookAgainWorkflowId(endpoint.token, delivery.webhookId, delivery.attempts + 1);
  return enqueue(inTransaction, {
    messageId: workflowId,
    workflow: 'webhookDelivery',
    workflowId,
    input: { ...inputOf(delivery), isSingle: true },
    labels: labelsOf(endpoint, `${delivery.type} to endpoint ${endpoint.id}, asked for`),
  });
}

function inputOf({ id, attempts, step }: WebhookDelivery) {
  return { deliveryId: id, attempts, step };
}

function labelsOf({ merchantId }: WebhookEndpoint, summary: string) {
  return { merchantId, state: 'delivering', requestId: '', summary };
}
