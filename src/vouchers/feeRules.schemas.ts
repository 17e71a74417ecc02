import { z } from 'zod';
import { formId, formObject } from '../kit/form';
import { AccessFeeResponse } from '../items/accessFees/accessFees.schemas';
import { shownPrice } from '../tax/shownPrices.schemas';
import { discountPeriods, ruleTypes } from './vouchers.schemas';

/**
 * The `voucher_rule` of a fee. `value` is text; dates are in Unix seconds. A missing date or limit is 0.
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
    /** In the major unit; 0 if the voucher has a percentage. */
    discount_amount: z.number(),
    rebill_discount_amount: z.number(),
    discount_currency: z.string(),
    discount_period: z.enum(discountPeriods),
    discount_duration: z.int(),
    usage_limit: z.int(),
    usage_counter: z.int(),
    start_date: z.int(),
    end_date: z.int(),
  }),
});

/** `expand[voucher]` is the id of a voucher. It is added to each fee for which it has a rule. */
export const FeeQuery = z.object({
  expand: formObject(z.object({ voucher: formId().optional() })).optional(),
});

/** A fee on sale. `voucher_rule` is present only if the request contains a voucher. */
export const OfferedFee = AccessFeeResponse.extend({
  voucher_rule: FeeVoucherRule.nullable().optional(),
  shown_price: shownPrice(),
});
