import { z } from 'zod';
import { formDate, formId, formText } from '../../kit/form';

const token = z.string().max(64);

export const SubscriptionPath = z.object({ id: token });
export const LinkPath = z.object({ token });
export const CancelPath = z.object({ id: token, cancel_token: token });

/** `period_end`: the paid time runs out. `now`: access ends at once, and nothing is paid back. */
export const CancelBody = z.object({
  at: z.enum(['period_end', 'now']).default('period_end'),
  reason: formText({ max: 250 }).optional(),
});

/** The cancel happens a moment later: `status` is `pending` until an event tells of it (wire B.7). */
export const CancelReply = z.object({
  code: z.literal(200),
  subscription: z.string(),
  operation: z.literal('unsubscribe'),
  description: z.string(),
  status: z.literal('pending'),
  timestamp: z.int(),
});

/** Without `resumes_at` the pause lasts until somebody ends it. */
export const PauseBody = z.object({ resumes_at: formDate().optional() });

export const switchModes = ['now', 'next_invoice', 'next_period', 'reset'] as const;

/** Without a `mode`, a dearer plan begins now and a cheaper one with the next period. */
export const SwitchBody = z.object({ access_fee_id: formId(), mode: z.enum(switchModes).optional() });

/** `inplayer_token` is the subscription's id. */
export const NamedSwitchBody = SwitchBody.extend({ inplayer_token: token });

/** Amounts in the major unit; what is given back is below zero. `total` is charged now, `date` in Unix seconds. */
export const SwitchPreview = z.object({
  mode: z.enum(switchModes),
  lines: z.array(z.object({ description: z.string(), amount: z.number() })),
  total: z.number(),
  formatted_total: z.string(),
  balance: z.number(),
  currency: z.string(),
  date: z.int(),
});
