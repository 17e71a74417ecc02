import { type z } from 'zod';
import { discountedCharges } from '../../subscriptions/billing/discounts';
import { findFeeRule } from './model';
import { presentFeeRule } from './presenter';
import { type FeeVoucherRule } from './schemas';

/**
 * What a fee tells of a voucher that was asked for by id. The ids are no secret and the code is told to anyone, so there
 * must be a rule that ties the voucher to this fee or its item, and none that limits it to accounts; undefined otherwise,
 * and when it cannot be used now.
 */
export async function describeVoucherRule(
  merchantId: number,
  accessFeeId: number,
  voucherId: number,
): Promise<z.output<typeof FeeVoucherRule> | undefined> {
  const rule = await findFeeRule(merchantId, accessFeeId, voucherId);
  if (!rule) return undefined;
  const { discountPeriod: period, discountDuration: duration } = rule.voucher;
  return presentFeeRule(rule, discountedCharges({ period, duration }));
}
