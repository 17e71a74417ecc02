import { statement } from '../adapters/postgres/statement';
import { type RuleType, type Voucher } from './vouchers.model';

/** A rule that limits a voucher to a fee or its item, with the voucher. */
export interface FeeRule {
  id: number;
  ruleType: RuleType;
  value: number;
  voucher: Pick<Voucher, 'id' | 'name' | 'code' | 'discount' | 'discountPeriod' | 'usageCounter' | 'startsAt'> & {
    rebillDiscount: number | null;
    discountMinor: number | null;
    rebillDiscountMinor: number | null;
    discountCurrency: string | null;
    discountDuration: number | null;
    usageLimit: number | null;
    endsAt: Date | null;
  };
}

type FeeRuleRow = Omit<FeeRule, 'id' | 'voucher'> & { ruleId: number } & FeeRule['voucher'];

// A rule for the fee comes before a rule for its item.
const ruleStatement = statement<FeeRuleRow>(
  'voucher_fee_rule',
  `SELECT r.id AS "ruleId", r.rule_type AS "ruleType", coalesce(r.item_id, r.access_fee_id) AS value,
     v.id, v.name, v.code, v.discount, v.rebill_discount AS "rebillDiscount", v.discount_period AS "discountPeriod",
     v.discount_minor AS "discountMinor", v.rebill_discount_minor AS "rebillDiscountMinor",
     v.discount_currency AS "discountCurrency",
     v.discount_duration AS "discountDuration", v.usage_limit AS "usageLimit", v.usage_counter AS "usageCounter",
     v.starts_at AS "startsAt", v.ends_at AS "endsAt"
   FROM vouchers v JOIN access_fees f ON f.merchant_id = v.merchant_id AND f.id = $2
   JOIN voucher_rules r ON r.voucher_id = v.id
     AND (r.item_id = f.item_id OR r.access_fee_id IN (SELECT fee_and_predecessors($2)))
   WHERE v.merchant_id = $1 AND v.id = $3 AND v.deleted_at IS NULL AND NOT v.is_gift
     AND v.starts_at <= merchant_now($1) AND (v.ends_at IS NULL OR v.ends_at > merchant_now($1))
     AND (v.usage_limit IS NULL OR v.usage_counter < v.usage_limit)
     AND NOT EXISTS (SELECT FROM voucher_rules e WHERE e.voucher_id = v.id AND e.rule_type = 'emails')
   ORDER BY r.rule_type = 'access_fees' DESC, r.id LIMIT 1`,
);

export async function findFeeRule(
  merchantId: number,
  accessFeeId: number,
  voucherId: number,
): Promise<FeeRule | undefined> {
  const [row] = await ruleStatement([merchantId, accessFeeId, voucherId]);
  if (!row) return undefined;
  const { ruleId, ruleType, value, ...voucher } = row;
  return { id: ruleId, ruleType, value, voucher };
}
