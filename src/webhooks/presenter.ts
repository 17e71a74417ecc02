import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type WebhookEndpoint } from './model';
import { type WebhookResponse } from './schemas';

export function presentWebhook(endpoint: WebhookEndpoint): z.output<typeof WebhookResponse> {
  return {
    id: endpoint.id,
    url: endpoint.url,
    events: endpoint.eventTypes,
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
