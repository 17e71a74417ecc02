import { type z } from 'zod';
import { getSellableFee, type SellableFee } from '../items/accessFees/accessFees';
import { getItemRow } from '../items/items';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { discountedCharges, payable, reductionOf } from '../billing/discounts';
import { toMajor } from '../billing/money';
import { type AddedTax, dueOf } from '../billing/tax/addedTax';
import { decideAddedTax } from '../tax/addedTaxes';
import { firstMinorOf } from './prices';
import { getOfferedFee } from './offers';
import { findVoucherFor, throttleVoucherAttempts, type AppliedVoucher, type FoundVoucher } from './uses';
import { listFeeIds } from './discounts.model';
import { type DiscountBody, type DiscountResponse } from './discounts.schemas';

type Answer = z.output<typeof DiscountResponse>;

/**
 * The price with a voucher, without a use of the voucher. Every voucher that is not valid for the price gets the same
 * answer, except one that is refused only for this customer.
 */
export async function getDiscount(caller: Caller, input: z.output<typeof DiscountBody>): Promise<Answer> {
  const fees = await listFees(caller, input);
  const { fee, voucher, refusal } = await throttleVoucherAttempts(caller, async () => {
    let refused: FoundOffer | undefined;
    for (const fee of fees) {
      const purchase = { itemId: fee.itemId, accessFeeId: fee.id, code: input.voucher_code };
      const found = await findVoucherFor(caller, purchase);
      if (found && !found.refusal) return { ...found, fee };
      if (found) refused ??= { ...found, fee };
    }
    return refused;
  });
  if (refusal) throw refusal;
  return discountOf(fee, voucher, await decideAddedTax(caller, fee));
}

type FoundOffer = FoundVoucher & { fee: SellableFee };

function discountOf(fee: SellableFee, voucher: AppliedVoucher, addedTax: AddedTax | null): Answer {
  const { discount } = voucher;
  const { amountMinor, currency } = fee;
  const firstMinor = firstMinorOf(fee, voucher);
  return {
    amount: toMajor(payable(amountMinor, reductionOf(discount, 1), currency), currency),
    discount_duration: discountedCharges(discount),
    first_charge: toMajor(dueOf(firstMinor, addedTax, currency), currency),
    ...(addedTax && { tax_behavior: 'exclusive' as const, first_net_amount: toMajor(firstMinor, currency) }),
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
