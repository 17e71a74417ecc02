import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type WebhookDelivery } from './webhooks.model';
import { type DeliveryResponse } from './deliveries.schemas';

export function presentDelivery(delivery: WebhookDelivery): z.output<typeof DeliveryResponse> {
  return {
    id: delivery.webhookId,
    webhook_id: delivery.endpointId,
    event_id: delivery.sequence ?? 0,
    type: delivery.type,
    state: delivery.state,
    attempts: delivery.attempts,
    next_attempt_at: unixSeconds(delivery.scheduledFor ?? delivery.nextAttemptAt),
    response_code: delivery.responseCode,
    response_body: delivery.responseBody ?? '',
    error: delivery.error ?? '',
    log: delivery.attemptLog,
    created_at: unixSeconds(delivery.createdAt),
    settled_at: unixSeconds(delivery.settledAt),
  };
}
