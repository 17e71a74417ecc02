import { type SellableFee } from '../items/accessFees/accessFees';
import { type AppliedVoucher } from './uses';
import { firstCharge, reductionOf } from '../billing/discounts';

/** The price of a fee for its buyer. Subscriptions, one-time payments and voucher previews use the same rules. */

/** The setup fee in minor units. A gift's receiver pays none, because the buyer has already paid it. */
export function setupFeeOf(fee: SellableFee, voucher?: AppliedVoucher): number {
  return voucher?.isGift ? 0 : (fee.setupFeeMinor ?? 0);
}

/** The first charge in minor units. */
export function firstMinorOf(fee: SellableFee, voucher?: AppliedVoucher): number {
  const reduction = voucher ? reductionOf(voucher.discount, 1) : 0;
  return firstCharge(fee.amountMinor, setupFeeOf(fee, voucher), reduction, fee.currency);
}

/** The columns of a purchase with the terms of its voucher. Later changes of the voucher do not affect them. */
export function keptOf(voucher: AppliedVoucher | undefined) {
  if (!voucher) return {};
  const { voucherId, code, discount } = voucher;
  return {
    voucherId,
    voucherCode: code,
    discountPercent: discount.percent,
    rebillPercent: discount.rebillPercent,
    discountMinor: discount.fixed?.minor ?? null,
    rebillMinor: discount.fixed?.rebillMinor ?? null,
    discountPeriod: discount.period,
    discountDuration: discount.duration,
  };
}
