import { getKnownFee, getSellableFee, type SellableFee } from '../../items/accessFees/service';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { checkVoucher } from '../uses/service';

/**
 * The fee that a buyer names: on sale, or paid for already by who gave it away, for as long as there is something left to
 * give. Throws `access_fee_not_found`, and with a code that is of no use here `voucher_not_found`.
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

/** The date until which it gives access has passed. */
function hasRunOut({ accessType, expiresAt, present }: SellableFee): boolean {
  return accessType === 'ppv_custom' && expiresAt !== null && expiresAt <= present;
}
