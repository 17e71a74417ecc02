import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type WebhookEndpoint } from './webhooks.model';
import { type WebhookResponse } from './webhooks.schemas';

export function presentWebhook(
  endpoint: WebhookEndpoint,
  neverSent: readonly string[],
): z.output<typeof WebhookResponse> {
  return {
    id: endpoint.id,
    url: endpoint.url,
    events: endpoint.eventTypes,
    never_sent: neverSent.filter((type) => endpoint.eventTypes.includes(type)),
    format: endpoint.format,
    enabled: endpoint.isEnabled,
    description: endpoint.description,
    disabled_reason: endpoint.disabledReason ?? '',
    disabled_at: unixSeconds(endpoint.disabledAt),
    previous_secret_expires_at: unixSeconds(endpoint.previousSecretEndsAt),
    created_at: unixSeconds(endpoint.createdAt),
    updated_at: unixSeconds(endpoint.updatedAt),
  };
}
