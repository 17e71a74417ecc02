import { inPerson, signedInWith } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { DiscountBody, DiscountResponse } from './discounts.schemas';
import * as discounts from './discounts';

export const discountEndpoints = {
  getDiscount: endpoint({
    method: 'post',
    path: '/vouchers/discount',
    summary: 'Get a price with a voucher',
    auth: inPerson(signedInWith('vouchers:read')),
    body: DiscountBody,
    status: 200,
    response: DiscountResponse,
    errors: [
      'missing_parameter',
      'voucher_not_found',
      'voucher_currency',
      'voucher_customer_limit',
      'voucher_new_customers_only',
      'item_not_found',
      'access_fee_not_found',
      'too_many_requests',
    ],
    handler: ({ caller, body }) => discounts.getDiscount(caller, body),
  }),
};
