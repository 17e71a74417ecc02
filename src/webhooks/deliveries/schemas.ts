import { z } from 'zod';
import { formId, formText } from '../../kit/form';
import { PageQuery, pageOf } from '../../kit/page';

const deliveryStates = ['pending', 'delivered', 'failed', 'dropped'] as const;

export const DeliveriesQuery = z.object({ ...PageQuery.shape, state: z.enum(deliveryStates).optional() });

/** `delivery_id` is what the receiver was sent as its `webhook-id`. */
export const DeliveryId = z.object({ id: formId(), delivery_id: formText({ max: 64 }) });

export const EndpointId = z.object({ id: formId() });

/**
 * Times are Unix seconds, 0 where there is none. `error` is empty, `timeout`, `private_address`, `event_gone`, `left_out`,
 * or a code of the system. `response_body` is the first kilobyte of the last answer.
 */
export const DeliveryResponse = z.object({
  id: z.string(),
  webhook_id: z.int(),
  /** The place of the event among the merchant's; 0 for a test. */
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

export const DeliveryPage = pageOf(DeliveryResponse);
