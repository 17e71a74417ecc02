import { z } from 'zod';
import { formDate, formId, formText } from '../kit/form';
import { cursorPageOf, CursorQuery } from '../kit/page';
import { EventFilter } from './webhooks.schemas';

const deliveryStates = ['pending', 'delivered', 'failed', 'dropped'] as const;

export const DeliveriesQuery = z.object({ ...CursorQuery.shape, state: z.enum(deliveryStates).optional() });

/** `delivery_id` is the `webhook-id` that the receiver was sent. */
export const DeliveryId = z.object({ id: formId(), delivery_id: formText({ max: 64 }) });

export const EndpointId = z.object({ id: formId() });

/**
 * Events from `from` (inclusive) to `to` (exclusive, now by default). Without `events`, all types of the webhook's
 * filter.
 */
export const ResendBody = z.object({
  from: formDate(),
  to: formDate().optional(),
  events: EventFilter.optional(),
});

/** `count` is the number of events in the range, including those whose delivery is still pending. */
export const ResendResponse = z.object({ count: z.int() });

/**
 * Times are Unix seconds; 0 means none. `error` is empty, `timeout`, `private_address`, `event_gone`, `left_out`, or a
 * system error code. `response_body` is the first kilobyte of the last response.
 */
export const DeliveryResponse = z.object({
  id: z.string(),
  webhook_id: z.int(),
  /** The number of the event among the merchant's events; 0 for a test. */
  event_id: z.int(),
  type: z.string(),
  state: z.enum(deliveryStates),
  attempts: z.int(),
  next_attempt_at: z.int(),
  response_code: z.int().nullable(),
  response_body: z.string(),
  error: z.string(),
  log: z.array(
    z.object({
      at: z.int(),
      duration_ms: z.int(),
      response_code: z.int().nullable(),
      error: z.string().nullable(),
    }),
  ),
  created_at: z.int(),
  settled_at: z.int(),
});

export const DeliveryPage = cursorPageOf(DeliveryResponse);
