import { z } from 'zod';
import { formBool, formId, formText } from '../kit/form';

/**
 * For a merchant's support staff. `account_id` is the customer. `host` and `ip_address` simulate a visit. Without them
 * the domain is unknown, and the address is that of the customer's last purchase.
 */
export const ExplainQuery = z.object({
  explain: formBool(),
  account_id: formId(),
  host: formText({ max: 253 }).optional(),
  ip_address: z.union([z.ipv4(), z.ipv6()], 'must be an IP address').optional(),
});

const Step = z.object({
  step: z.enum(['session', 'item', 'domain', 'geo', 'age', 'entitlement', 'pin']),
  outcome: z.enum(['passed', 'refused', 'no_rule', 'unknown']),
  reason: z.string(),
});
export type Step = z.output<typeof Step>;

/** Times are Unix seconds, 0 for none. `item_id` is the item or a package that contains it. */
const ExplainedEntitlement = z.object({
  id: z.int(),
  item_id: z.int(),
  item_title: z.string(),
  source: z.string(),
  access_fee_id: z.int().nullable(),
  state: z.enum(['running', 'not_begun', 'expired', 'revoked']),
  starts_at: z.int(),
  expires_at: z.int(),
  revoked_at: z.int(),
  /** Whether the check uses this entitlement. */
  answers: z.boolean(),
});

/** The steps of the check in order. `granted`: no step refuses. `refused_by`: the first step that refuses. */
export const AccessExplanation = z.object({
  item_id: z.int(),
  account_id: z.int(),
  checked_at: z.int(),
  granted: z.boolean(),
  refused_by: z.string().nullable(),
  steps: z.array(Step),
  entitlements: z.array(ExplainedEntitlement),
});
