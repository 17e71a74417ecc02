import { z } from 'zod';
import { formId } from '../../kit/form';
import { pageOf } from '../../kit/page';

export const TimelinePath = z.object({ id: formId() });

/**
 * `kind`: the record that it was read from; `type`: what happened. `summary` (the item), `reason` and `amount` are for
 * people. The durable run is named where there is one, and `workflow_url` where Temporal's own pages are. Texts are empty
 * where there is nothing to say; times are Unix seconds.
 */
export const Timeline = pageOf(
  z.object({
    kind: z.enum(['subscription', 'payment', 'refund', 'access', 'gift', 'store', 'audit', 'session']),
    type: z.string(),
    summary: z.string(),
    reason: z.string(),
    amount: z.string(),
    reference: z.string(),
    workflow_id: z.string(),
    workflow_url: z.string(),
    happened_at: z.int(),
  }),
);
