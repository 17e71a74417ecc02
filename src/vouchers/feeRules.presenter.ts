import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type FeeRule } from './feeRules.model';
import { type FeeVoucherRule } from './feeRules.schemas';

/** Amounts are in the major unit. */
interface Computed {
  discountedCharges: number;
  discountAmount: number | null;
  rebillDiscountAmount: number | null;
}

export function presentFeeRule(rule: FeeRule, computed: Computed): z.output<typeof FeeVoucherRule> {
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
      discount_amount: computed.discountAmount ?? 0,
      rebill_discount_amount: computed.rebillDiscountAmount ?? 0,
      discount_currency: voucher.discountCurrency ?? '',
      discount_duration: computed.discountedCharges,
      usage_limit: voucher.usageLimit ?? 0,
      usage_counter: voucher.usageCounter,
      start_date: unixSeconds(voucher.startsAt),
      end_date: unixSeconds(voucher.endsAt),
    },
  };
}
