import { z } from 'zod';
import { discountPeriods, ruleTypes } from '../schemas';

/**
 * The `voucher_rule` of a fee (wire B.4). `value` is text; dates are Unix seconds here, 0 where there is none, and so is a
 * limit.
 */
export const FeeVoucherRule = z.object({
  id: z.int(),
  rule_type: z.enum(ruleTypes),
  value: z.string(),
  voucher: z.object({
    id: z.int(),
    name: z.string(),
    code: z.string(),
    discount: z.int(),
    rebill_discount: z.int(),
    discount_period: z.enum(discountPeriods),
    discount_duration: z.int(),
    usage_limit: z.int(),
    usage_counter: z.int(),
    start_date: z.int(),
    end_date: z.int(),
  }),
});
