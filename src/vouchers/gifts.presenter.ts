import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type GiftVoucher } from './gifts.model';
import { type GiftVoucherResponse, type OwnGiftPage } from './gifts.schemas';

/** `shown` is the unmasked code and the amount in the major unit. */
export function presentGift(
  row: GiftVoucher,
  shown: { code: string; amount: number },
): z.output<typeof GiftVoucherResponse> {
  return {
    id: row.id,
    code: shown.code,
    item_title: row.item?.title ?? '',
    item_id: row.itemId,
    buyer_email: row.buyer?.email ?? '',
    receiver_email: row.receiverEmail,
    is_used: row.state === 'redeemed',
    status: row.state,
    access_fee_id: row.accessFeeId,
    access_fee_description: row.accessFee?.description ?? '',
    amount: shown.amount,
    currency: row.currency,
  };
}

export function presentOwnGift(row: GiftVoucher): z.output<typeof OwnGiftPage>['collection'][number] {
  return {
    id: row.id,
    item_id: row.itemId,
    item_title: row.item?.title ?? '',
    access_fee_description: row.accessFee?.description ?? '',
    receiver_email: row.receiverEmail,
    status: row.state,
    deliver_on: unixSeconds(row.deliverOn),
    created_at: unixSeconds(row.boughtAt),
    redeemed_at: unixSeconds(row.redeemedAt),
  };
}
