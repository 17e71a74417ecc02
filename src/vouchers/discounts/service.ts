import { type z } from 'zod';
import { getSellableFee, type SellableFee } from '../../items/accessFees/service';
import { getItemRow } from '../../items/service';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { discountedCharges, payable, percentOff } from '../../subscriptions/billing/discounts';
import { toMajor } from '../../subscriptions/billing/money';
import { firstMinorOf } from '../../subscriptions/prices/service';
import { getOfferedFee } from '../offers/service';
import { findVoucherFor, guessVoucher } from '../uses/service';
import { listFeeIds } from './model';
import { type DiscountBody, type DiscountResponse } from './schemas';

type Answer = z.output<typeof DiscountResponse>;

/** What a voucher makes of a price. Takes no use of it; every voucher that is of no use here answers alike. */
export async function getDiscount(caller: Caller, input: z.output<typeof DiscountBody>): Promise<Answer> {
  const fees = await listFees(caller, input);
  return guessVoucher(caller, async () => {
    for (const fee of fees) {
      const answer = await discountOf(caller, fee, input.voucher_code);
      if (answer) return answer;
    }
    return undefined;
  });
}

async function discountOf(caller: Caller, fee: SellableFee, code: string): Promise<Answer | undefined> {
  const voucher = await findVoucherFor(caller, { itemId: fee.itemId, accessFeeId: fee.id, code });
  if (!voucher) return undefined;
  const { discount } = voucher;
  const { amountMinor, currency } = fee;
  return {
    amount: toMajor(payable(amountMinor, percentOff(discount, 1), currency), currency),
    discount_duration: discountedCharges(discount),
    first_charge: toMajor(firstMinorOf(fee, voucher), currency),
  };
}

async function listFees(caller: Caller, input: z.output<typeof DiscountBody>): Promise<SellableFee[]> {
  const { access_fee_id: feeId, item_id: itemId } = input;
  if (feeId !== undefined) {
    const fee = await getOfferedFee(caller, feeId, input.voucher_code);
    if (itemId !== undefined && itemId !== fee.itemId) throw new AppError('access_fee_not_found');
    return [fee];
  }
  if (itemId === undefined)
    throw new AppError('missing_parameter', { errors: { access_fee_id: 'The access_fee_id must not be empty.' } });
  const { merchantId } = caller;
  await getItemRow(merchantId, itemId);
  const found = await Promise.all((await listFeeIds(merchantId, itemId)).map((id) => findSellable(caller, id)));
  const fees = found.filter((fee) => fee !== undefined);
  if (fees.length === 0) throw new AppError('access_fee_not_found');
  return fees;
}

async function findSellable(caller: Caller, feeId: number): Promise<SellableFee | undefined> {
  try {
    return await getSellableFee(caller, feeId);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
