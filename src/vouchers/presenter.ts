import { type z } from 'zod';
import { type RuleFee, type Voucher, type VoucherRule } from './model';
import { type VoucherResponse, type VoucherRule as ShownRule } from './schemas';

/** A voucher with what is computed of it: how many charges it discounts. */
export interface Described {
  row: Voucher;
  rules: readonly VoucherRule[];
  discountedCharges: number;
}

/** What the rules name, by id. Amounts in the major unit. */
export interface Named {
  assets: ReadonlyMap<number, Omit<NonNullable<z.output<typeof ShownRule>['assets']>, 'content'>>;
  fees: ReadonlyMap<number, RuleFee & { amount: number }>;
}

export function presentVoucher(
  { row, rules, discountedCharges }: Described,
  named: Named,
): z.output<typeof VoucherResponse> {
  return {
    id: row.id,
    name: row.name,
    discount: row.discount,
    rebill_discount: row.rebillDiscount,
    start_date: row.startsAt.toISOString(),
    end_date: row.endsAt?.toISOString() ?? null,
    code: row.code,
    length: row.codeLength,
    prefix: row.prefix,
    suffix: row.suffix,
    usage_limit: row.usageLimit,
    usage_counter: row.usageCounter,
    discount_period: row.discountPeriod,
    discount_duration: discountedCharges,
    rules: rules.map((rule) => presentRule(rule, named)),
  };
}

function presentRule(rule: VoucherRule, { assets, fees }: Named): z.output<typeof ShownRule> {
  const fee = fees.get(rule.accessFeeId ?? 0);
  const asset = assets.get(rule.itemId ?? 0);
  return {
    id: rule.id,
    rule_type: rule.ruleType,
    value: rule.itemId ?? rule.accessFeeId ?? rule.accountId ?? 0,
    // Who may read vouchers need not be let to read what is sold.
    assets: asset ? { ...asset, content: '' } : null,
    access_fees: fee ? presentFee(fee) : null,
  };
}

function presentFee(fee: RuleFee & { amount: number }) {
  return {
    id: fee.id,
    merchant_id: fee.merchantId,
    amount: fee.amount,
    currency: fee.currency,
    description: fee.description,
    item_id: fee.itemId,
    item_type: fee.itemType,
    access_type: fee.accessType,
  };
}
