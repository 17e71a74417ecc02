import { type z } from 'zod';
import { unixSeconds } from '../../kit/time';
import { type FeeRule } from './model';
import { type FeeVoucherRule } from './schemas';

export function presentFeeRule(rule: FeeRule, discountedCharges: number): z.output<typeof FeeVoucherRule> {
  const { voucher } = rule;
  return {
    id: rule.id,
    rule_type: rule.ruleType,
    value: String(rule.value),
    voucher: {
      id: voucher.id,
      name: voucher.name,
      code: voucher.code,
      discount: voucher.discount,
      rebill_discount: voucher.rebillDiscount ?? 0,
      discount_period: voucher.discountPeriod,
      discount_duration: discountedCharges,
      usage_limit: voucher.usageLimit ?? 0,
      usage_counter: voucher.usageCounter,
      start_date: unixSeconds(voucher.startsAt),
      end_date: unixSeconds(voucher.endsAt),
    },
  };
}
