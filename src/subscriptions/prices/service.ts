import { type SellableFee } from '../../items/accessFees/service';
import { type AppliedVoucher } from '../../vouchers/uses/service';
import { firstCharge, percentOff } from '../billing/discounts';

/** What a fee costs its buyer: the rules that subscriptions, one-time payments and what is told of a voucher share. */

/** In minor units. Who redeems a gift pays nothing: its buyer has paid the setup fee too. */
export function setupFeeOf(fee: SellableFee, voucher?: AppliedVoucher): number {
  return voucher?.isGift ? 0 : (fee.setupFeeMinor ?? 0);
}

/** What the first charge takes, in minor units. */
export function firstMinorOf(fee: SellableFee, voucher?: AppliedVoucher): number {
  const percent = voucher ? percentOff(voucher.discount, 1) : 0;
  return firstCharge(fee.amountMinor, setupFeeOf(fee, voucher), percent, fee.currency);
}

/** What a purchase keeps of its voucher, as that is now: one that is changed later changes no purchase. */
export function keptOf(voucher: AppliedVoucher | undefined) {
  if (!voucher) return {};
  const { voucherId, code, discount } = voucher;
  return {
    voucherId,
    voucherCode: code,
    discountPercent: discount.percent,
    rebillPercent: discount.rebillPercent,
    discountPeriod: discount.period,
    discountDuration: discount.duration,
  };
}
