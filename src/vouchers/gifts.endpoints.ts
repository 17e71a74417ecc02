import { consumer, merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import { GiftPage, GiftPath, GiftQuery, GiftVoucherResponse, OwnGiftPage, OwnGiftQuery } from './gifts.schemas';
import * as gifts from './gifts';

export const giftEndpoints = {
  listGiftVouchers: endpoint({
    feature: 'gifts',
    method: 'get',
    path: '/vouchers/gifts',
    summary: 'List the gifts that the merchant’s customers have bought',
    auth: merchant('vouchers:read'),
    query: GiftQuery,
    status: 200,
    response: GiftPage,
    errors: [],
    handler: ({ caller, query }) => gifts.listGiftVouchers(caller, query),
  }),
  getGiftVoucher: endpoint({
    feature: 'gifts',
    method: 'get',
    path: '/v2/vouchers/gifts/{id}',
    summary: 'Get a gift voucher',
    auth: merchant('vouchers:read'),
    params: GiftPath,
    status: 200,
    response: GiftVoucherResponse,
    errors: ['gift_voucher_not_found'],
    handler: ({ caller, params }) => gifts.getGiftVoucher(caller, params.id),
  }),
  resendGift: endpoint({
    feature: 'gifts',
    method: 'post',
    path: '/vouchers/gifts/{id}/resend',
    summary: 'Mail an unused gift to its receiver again, immediately',
    auth: merchant('vouchers:write'),
    params: GiftPath,
    status: 200,
    response: Message,
    errors: ['gift_voucher_not_found', 'gift_used', 'mail_not_possible'],
    handler: ({ caller, params }) => gifts.resendGift(caller, params.id),
  }),
  listOwnGifts: endpoint({
    method: 'get',
    path: '/accounts/gifts',
    summary: 'List the gifts that the consumer has bought or received',
    auth: consumer(),
    query: OwnGiftQuery,
    status: 200,
    response: OwnGiftPage,
    errors: [],
    handler: ({ caller, query }) => gifts.listOwnGifts(caller, query),
  }),
};
