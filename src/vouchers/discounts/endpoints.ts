import { signedInWith } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { DiscountBody, DiscountResponse } from './schemas';
import * as discounts from './service';

export const discountEndpoints = {
  getDiscount: endpoint({
    method: 'post',
    path: '/vouchers/discount',
    summary: 'What a voucher makes of a price',
    auth: signedInWith('vouchers:read'),
    body: DiscountBody,
    status: 200,
    response: DiscountResponse,
    errors: ['missing_parameter', 'voucher_not_found', 'item_not_found', 'access_fee_not_found', 'too_many_requests'],
    handler: ({ caller, body }) => discounts.getDiscount(caller, body),
  }),
};
