import { z } from 'zod';
import { formId } from '../kit/form';
import { cursorPageOf } from '../kit/page';

export const TimelinePath = z.object({ id: formId() });

/**
 * `kind` is the source of the entry, `type` is what happened. `summary` is the item, `reason` the stored cause. `amount`
 * is a text in English, `amount_number` the same amount for a text in another language. `workflow_url` links to the
 * Temporal UI if the installation has one. Texts are empty and numbers are null if there is no value; times are Unix
 * seconds.
 */
export const Timeline = cursorPageOf(
  z.object({
    kind: z.enum(['subscription', 'payment', 'refund', 'access', 'gift', 'store', 'audit', 'session']),
    type: z.string(),
    summary: z.string(),
    reason: z.string(),
    amount: z.string(),
    amount_number: z.number().nullable(),
    currency_iso: z.string(),
    reference: z.string(),
    workflow_id: z.string(),
    workflow_url: z.string(),
    happened_at: z.int(),
  }),
);
