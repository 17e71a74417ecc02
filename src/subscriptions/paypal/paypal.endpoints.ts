import { consumer } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { ExternalPaymentBody, ExternalPaymentResponse } from './paypal.schemas';
import * as paypal from './paypal';

export const paypalEndpoints = {
  createExternalPayment: endpoint({
    method: 'post',
    path: '/external-payments',
    summary: 'Begin a purchase by PayPal, and get the address to which the browser is sent',
    auth: consumer(),
    body: ExternalPaymentBody,
    status: 200,
    response: ExternalPaymentResponse,
    errors: [
      'access_fee_not_found',
      'access_restricted',
      'voucher_not_found',
      'voucher_currency',
      'voucher_customer_limit',
      'voucher_new_customers_only',
      'provider_misconfigured',
      'already_has_access',
      'payment_method_not_offered',
      'too_many_requests',
    ],
    handler: ({ caller, body, request }) => paypal.createExternalPayment(caller, body, request),
  }),
};
