import { getKnownFee, getSellableFee, type SellableFee } from '../items/accessFees/accessFees';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { checkVoucher } from './uses';

/**
 * The fee of a purchase: a fee on sale, or the fee of a gift until the end of its access, even if the fee is no longer
 * on sale. Throws `access_fee_not_found`, or `voucher_not_found` for a code that is not valid for the fee.
 */
export async function getOfferedFee(caller: Caller, feeId: number, code?: string): Promise<SellableFee> {
  try {
    return await getSellableFee(caller, feeId);
  } catch (error) {
    if (code === undefined || !(error instanceof AppError)) throw error;
    const fee = await getKnownFee(caller, feeId);
    const { isGift } = await checkVoucher(caller, { itemId: fee.itemId, accessFeeId: fee.id, code });
    if (!isGift || hasRunOut(fee)) throw error;
    return fee;
  }
}

/** Whether the fixed end of the fee's access has passed. */
function hasRunOut({ accessType, expiresAt, present }: SellableFee): boolean {
  return accessType === 'ppv_custom' && expiresAt !== null && expiresAt <= present;
}
