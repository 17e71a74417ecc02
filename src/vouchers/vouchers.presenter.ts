import { type z } from 'zod';
import { type RuleFee, type Voucher, type VoucherRule } from './vouchers.model';
import { type VoucherResponse, type VoucherRule as ShownRule } from './vouchers.schemas';

/** A voucher with its number of discounted charges, and its amounts in the major unit. */
export interface Described {
  row: Voucher;
  rules: readonly VoucherRule[];
  discountedCharges: number;
  discountAmount: number | null;
  rebillDiscountAmount: number | null;
}

/** The items and fees of the rules, by id. Amounts are in the major unit. */
export interface Named {
  assets: ReadonlyMap<number, Omit<NonNullable<z.output<typeof ShownRule>['assets']>, 'content'>>;
  fees: ReadonlyMap<number, RuleFee & { amount: number }>;
}

export function presentVoucher(
  { row, rules, discountedCharges, ...amounts }: Described,
  named: Named,
): z.output<typeof VoucherResponse> {
  return {
    id: row.id,
    name: row.name,
    discount: row.discount,
    rebill_discount: row.rebillDiscount,
    discount_amount: amounts.discountAmount,
    rebill_discount_amount: amounts.rebillDiscountAmount,
    discount_currency: row.discountCurrency,
    start_date: row.startsAt.toISOString(),
    end_date: row.endsAt?.toISOString() ?? null,
    code: row.code,
    length: row.codeLength,
    prefix: row.prefix,
    suffix: row.suffix,
    usage_limit: row.usageLimit,
    usage_limit_per_customer: row.usageLimitPerCustomer,
    new_customers_only: row.newCustomersOnly,
    usage_counter: row.usageCounter,
    batch_id: row.batchId,
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
    // The scope for vouchers does not include the content of items.
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
