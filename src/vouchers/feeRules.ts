import { type z } from 'zod';
import { discountedCharges } from '../billing/discounts';
import { listAccessFees, type Viewer } from '../items/accessFees/accessFees';
import { withShownPrices } from '../tax/shownPrices';
import { presentAmounts } from './terms';
import { findFeeRule } from './feeRules.model';
import { presentFeeRule } from './feeRules.presenter';
import { type FeeQuery, type FeeVoucherRule } from './feeRules.schemas';

/**
 * The fees on sale now for the visitor's country. `expand.voucher` adds that voucher to the fees for which it has a
 * rule.
 */
export async function listOfferedFees(itemId: number, viewer: Viewer, { expand }: z.output<typeof FeeQuery>) {
  const fees = await showPrices(await listAccessFees(itemId, viewer), viewer);
  const voucherId = expand?.voucher;
  if (voucherId === undefined) return fees;
  const withRule = fees.map(async (fee) => {
    const rule = await describeVoucherRule(fee.merchant_id, fee.id, voucherId);
    return { ...fee, voucher_rule: rule ?? null };
  });
  return Promise.all(withRule);
}

async function showPrices(fees: Awaited<ReturnType<typeof listAccessFees>>, { clientAddress }: Viewer) {
  const [first] = fees;
  return first ? withShownPrices({ merchantId: first.merchant_id, accountId: null, clientAddress }, fees) : [];
}

/**
 * Describes a voucher to anyone who knows its id, which is not secret. The description contains the code, so the
 * voucher must have a rule for this fee or its item and no rule for accounts. Otherwise, and if it cannot be used now,
 * the result is undefined.
 */
export async function describeVoucherRule(
  merchantId: number,
  accessFeeId: number,
  voucherId: number,
): Promise<z.output<typeof FeeVoucherRule> | undefined> {
  const rule = await findFeeRule(merchantId, accessFeeId, voucherId);
  if (!rule) return undefined;
  const { discountPeriod: period, discountDuration: duration } = rule.voucher;
  const computed = { ...presentAmounts(rule.voucher), discountedCharges: discountedCharges({ period, duration }) };
  return presentFeeRule(rule, computed);
}
